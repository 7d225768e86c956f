import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import * as schemas from './schemas.ts';

export const tokenApprovals = family({
  name: 'token-approvals',
  effect: "A fine-grained token gets or loses access to an organization's data.",
  page: 'tokens.md#fine-grained-tokens-of-an-organization',
  schemas,
  endpoints: [endpoints],
  payloadParts: { personal_access_token_request: schemas.TokenRequestInPayload },
});
