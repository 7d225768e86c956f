import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import * as schemas from './schemas.ts';

export const tokenApprovals = family({
  name: 'token-approvals',
  schemas,
  endpoints: [endpoints],
  payloadParts: { personal_access_token_request: schemas.TokenRequestInPayload },
});
