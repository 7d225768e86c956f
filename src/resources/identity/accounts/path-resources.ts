import { pathResource } from '#endpoint/path-resource.ts';
import { idOf } from '#endpoint/path-words.ts';
import { findAccountById, findKey, findKeyForUpdate, selectCounts } from './store.ts';

/** A user, an organization or a bot by its id. */
export const accountById = pathResource({
  name: 'account',
  words: { account_id: idOf('accounts') },
  below: undefined,
  find: async ({ db }, { account_id }) => {
    const account = await findAccountById(db, account_id);
    return account?.kind === 'deleted' ? undefined : account;
  },
});

/** The numbers of the authenticated user's repositories. The statement that confirms the credential also reads them. */
export const ownCounts = pathResource({
  name: 'counts',
  words: {},
  below: undefined,
  query: ({ db, viewer }) => selectCounts(db, viewer.account?.id ?? null),
});

/** An SSH key of the authenticated user. */
export const ownKey = pathResource({
  name: 'key',
  words: { key_id: idOf('public_keys') },
  below: undefined,
  find: async ({ db, viewer: { account } }, { key_id }) => account && findKey(db, account.id, key_id),
  lock: (tx, at) => findKeyForUpdate(tx, at.key),
});
