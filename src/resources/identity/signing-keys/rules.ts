import type { ActionContext } from '#access/action.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { fixedValue } from '#lib/limits.ts';
import { type KeyPart, type OpenPgpKey, parseOpenPgpKey } from '#lib/openpgp/key.ts';
import { OpenPgpError } from '#lib/openpgp/packets.ts';
import { invalid } from '#lib/refusal.ts';
import { parseSshKey } from '#lib/ssh-key.ts';
import { getAccountForUpdate } from '#resources/identity/accounts/index.ts';
import { keyLimits } from './limits.ts';
import type { NewGpgKey, NewSshSigningKey } from './schemas.ts';
import {
  countGpgKeys,
  countSshSigningKeys,
  type GpgKeyRow,
  insertGpgKey,
  insertSshSigningKey,
  insertSubkeys,
  removeGpgKey,
  removeSshSigningKey,
  type SshSigningKeyRow,
} from './store.ts';

const maxGpgKeys = fixedValue(keyLimits.gpgKeys);
const maxSigningKeys = fixedValue(keyLimits.signingKeys);

/** Adds an OpenPGP key with its subkeys. The account stays locked, so that concurrent requests count each other's keys. */
export async function createGpgKey(scope: WriteScope, { by, now }: ActionContext, wanted: NewGpgKey): Promise<GpgKeyRow> {
  const parsed = parseGpgKey(wanted.armored_public_key);
  const { id: user_id } = await getAccountForUpdate(scope.tx, by.account.id);
  if ((await countGpgKeys(scope.tx, user_id)) >= maxGpgKeys)
    throw invalid('GpgKey', 'armored_public_key', 'unprocessable', `An account can have at most ${maxGpgKeys} keys`);
  const key = await insertGpgKey(scope.tx, {
    ...columnsOf(parsed.primary),
    user_id,
    name: wanted.name ?? null,
    emails: parsed.emails,
    raw_key: wanted.armored_public_key,
    created_at: now,
  });
  if (!key) throw invalid('GpgKey', 'armored_public_key', 'already_exists', 'The key is one of yours already');
  const subkeys = parsed.subkeys.map((part) => ({ ...columnsOf(part), user_id, primary_key_id: key.id, created_at: now }));
  if (subkeys.length > 0) await insertSubkeys(scope.tx, subkeys);
  await record(scope.tx, { kind: 'gpg_key.created', owner: user_id, actor: user_id, at: now, data: { key: key.id } });
  return key;
}

function parseGpgKey(text: string): OpenPgpKey {
  try {
    return parseOpenPgpKey(text);
  } catch (error) {
    if (!(error instanceof OpenPgpError)) throw error;
    throw invalid('GpgKey', 'armored_public_key', 'invalid', `armored_public_key can't be used: ${error.message}`);
  }
}

const columnsOf = (part: KeyPart) => ({
  key_id: part.keyId,
  fingerprint: part.fingerprint,
  public_key: part.publicKey,
  can_sign: part.canSign,
  can_encrypt_comms: part.canEncryptComms,
  can_encrypt_storage: part.canEncryptStorage,
  can_certify: part.canCertify,
  revoked: part.revoked,
  expires_at: part.expiresAt ?? null,
});

export async function deleteGpgKey(scope: WriteScope, { by: { account }, now }: ActionContext, key: GpgKeyRow): Promise<void> {
  await removeGpgKey(scope.tx, key.id);
  await record(scope.tx, { kind: 'gpg_key.deleted', owner: account.id, actor: account.id, at: now, data: { key: key.id } });
}

/** Adds an SSH key for signatures. The account may also sign in with it. */
export async function createSshSigningKey(
  scope: WriteScope,
  { by, now }: ActionContext,
  wanted: NewSshSigningKey,
): Promise<SshSigningKeyRow> {
  const parsed = parseSshKey(wanted.key);
  if (!parsed) throw invalid('SshSigningKey', 'key', 'invalid', 'key must be a whole public key in the format of OpenSSH');
  const { id: user_id } = await getAccountForUpdate(scope.tx, by.account.id);
  if ((await countSshSigningKeys(scope.tx, user_id)) >= maxSigningKeys)
    throw invalid('SshSigningKey', 'key', 'unprocessable', `An account can have at most ${maxSigningKeys} keys that sign`);
  const key = await insertSshSigningKey(scope.tx, { user_id, title: wanted.title ?? '', ...parsed, created_at: now });
  if (!key) throw invalid('SshSigningKey', 'key', 'already_exists', 'The key is one of yours already');
  await record(scope.tx, { kind: 'ssh_signing_key.created', owner: user_id, actor: user_id, at: now, data: { key: key.id } });
  return key;
}

export async function deleteSshSigningKey(
  scope: WriteScope,
  { by: { account }, now }: ActionContext,
  key: SshSigningKeyRow,
): Promise<void> {
  await removeSshSigningKey(scope.tx, key.id);
  await record(scope.tx, {
    kind: 'ssh_signing_key.deleted',
    owner: account.id,
    actor: account.id,
    at: now,
    data: { key: key.id },
  });
}
