import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { interpreters } from './interpreters.ts';
import { requestCodeOwners } from './jobs.ts';
import * as limits from './limits.ts';
import * as schemas from './schemas.ts';

export const codeOwners = family({
  name: 'code-owners',
  limits,
  interpreters,
  schemas,
  endpoints: [endpoints],
  subscriptions: [requestCodeOwners],
});
