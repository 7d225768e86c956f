import { family } from '#resources/family.ts';
import * as limits from './limits.ts';
import * as schemas from './schemas.ts';

/** Keys that callers encrypt secrets with, which the families of those secrets use. */
export const encryptionKeys = family({ name: 'encryption-keys', limits, schemas });
