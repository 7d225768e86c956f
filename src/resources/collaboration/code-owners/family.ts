import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { requestCodeOwners } from './jobs.ts';
import * as schemas from './schemas.ts';

export const codeOwners = family({ name: 'code-owners', schemas, endpoints: [endpoints], subscriptions: [requestCodeOwners] });
