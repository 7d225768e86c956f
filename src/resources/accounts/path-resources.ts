import { pathResource } from '#endpoint/path-resource.ts';
import { idOf } from '#endpoint/path-words.ts';
import { findAccountById, findKey, findKeyForUpdate } from './store.ts';

/** A user, an organization or a bot by its id. */
export const accountById = pathResource({
  name: 'account',
  words: { account_id: idOf('accounts') },
  below: undefined,
  find: ({ db }, { account_id }) => findAccountById(db, account_id),
});

/** An SSH key of the authenticated user. */
export const ownKey = pathResource({
  name: 'key',
  words: { key_id: idOf('public_keys') },
  below: undefined,
  find: async ({ db, viewer: { account } }, { key_id }) => account && findKey(db, account.id, key_id),
  lock: (tx, at) => findKeyForUpdate(tx, at.key),
});
