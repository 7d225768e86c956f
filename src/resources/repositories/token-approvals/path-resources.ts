import { pathResource } from '#endpoint/path-resource.ts';
import { idOf } from '#endpoint/path-words.ts';
import { selectTokenGrant, selectTokenRequest } from '#resources/identity/tokens/index.ts';

/** A fine-grained token's request for access to an organization. */
export const tokenRequest = pathResource({
  name: 'tokenRequest',
  words: { pat_request_id: idOf('token_requests') },
  below: 'org',
  query: ({ db, at }, { pat_request_id }) => selectTokenRequest(db, at.org.id, pat_request_id),
});

/** A fine-grained token that an organization has approved. */
export const tokenGrant = pathResource({
  name: 'tokenGrant',
  words: { pat_id: idOf('tokens') },
  below: 'org',
  query: ({ db, at }, { pat_id }) => selectTokenGrant(db, at.org.id, pat_id),
});
