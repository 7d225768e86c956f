import { pathResource } from '#endpoint/path-resource.ts';
import { idOf } from '#endpoint/path-words.ts';
import { findKey, findKeyForUpdate } from './store.ts';

/** An SSH key of the authenticated user. */
export const ownKey = pathResource({
  name: 'key',
  words: { key_id: idOf('public_keys') },
  below: undefined,
  find: async ({ db, viewer: { account } }, { key_id }) => account && findKey(db, account.id, key_id),
  lock: (tx, at) => findKeyForUpdate(tx, at.key),
});
