import { pathResource } from '#endpoint/path-resource.ts';
import { idOf } from '#endpoint/path-words.ts';
import { selectTokenGrant, selectTokenRequest } from '#resources/identity/tokens/index.ts';

/** What a fine-grained token asks an organization for. */
export const tokenRequest = pathResource({
  name: 'tokenRequest',
  words: { pat_request_id: idOf('token_requests') },
  below: 'org',
  query: ({ db, at }, { pat_request_id }) => selectTokenRequest(db, at.org.id, pat_request_id),
});

/** A fine-grained token that an organization lets in. */
export const tokenGrant = pathResource({
  name: 'tokenGrant',
  words: { pat_id: idOf('tokens') },
  below: 'org',
  query: ({ db, at }, { pat_id }) => selectTokenGrant(db, at.org.id, pat_id),
});
