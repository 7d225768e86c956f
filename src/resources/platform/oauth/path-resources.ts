import { pathResource } from '#endpoint/path-resource.ts';
import { idOf } from '#endpoint/path-words.ts';
import { findSessionOf } from './store.ts';

/** A session of the person who is signed in. */
export const ownSession = pathResource({
  name: 'session',
  words: { session_id: idOf('sessions') },
  below: undefined,
  find: async ({ db, viewer: { account } }, { session_id }) => account && findSessionOf(db, account.id, session_id),
});
