import { family } from '#resources/family.ts';
import * as limits from './limits.ts';
import * as schemas from './schemas.ts';

/** What secrets and variables of workflows have in common: their owners, names, and the repositories that may use them. */
export const actionsConfiguration = family({ name: 'actions-configuration', limits, schemas });
