import { pathResource } from '#endpoint/path-resource.ts';
import { idOf } from '#endpoint/path-words.ts';
import { findGpgKey, findGpgKeyForUpdate, findSshSigningKey, findSshSigningKeyForUpdate } from './store.ts';

/** An OpenPGP key of the authenticated user. Subkeys aren't addressed separately. */
export const ownGpgKey = pathResource({
  name: 'gpgKey',
  words: { gpg_key_id: idOf('gpg_keys') },
  below: undefined,
  find: async ({ db, viewer: { account } }, { gpg_key_id }) => account && findGpgKey(db, account.id, gpg_key_id),
  lock: (tx, at) => findGpgKeyForUpdate(tx, at.gpgKey),
});

/** An SSH key with which the authenticated user signs commits. */
export const ownSshSigningKey = pathResource({
  name: 'sshSigningKey',
  words: { ssh_signing_key_id: idOf('ssh_signing_keys') },
  below: undefined,
  find: async ({ db, viewer: { account } }, { ssh_signing_key_id }) =>
    account && findSshSigningKey(db, account.id, ssh_signing_key_id),
  lock: (tx, at) => findSshSigningKeyForUpdate(tx, at.sshSigningKey),
});
