import type { Db } from '#database/connect.ts';
import { gather, grouped } from '#lib/collections.ts';
import { timestamp, timestampOrNull } from '#lib/time.ts';
import { loadVerifiedEmails } from '#resources/identity/accounts/index.ts';
import type { GpgKey, GpgSubkey, SshSigningKey } from './schemas.ts';
import { type GpgKeyRow, loadSubkeys, type SshSigningKeyRow } from './store.ts';

/** OpenPGP keys with their subkeys. An address in a key is verified if it is a verified address of the key's user. */
export async function presentGpgKeys(db: Db, rows: readonly GpgKeyRow[]): Promise<GpgKey[]> {
  const [subkeys, verified] = await Promise.all([
    loadSubkeys(db, gather(rows, 'id')),
    loadVerifiedEmails(db, gather(rows, 'user_id')),
  ]);
  const byKey = grouped(subkeys, ({ primary_key_id }) => primary_key_id);
  return rows.map((row) => {
    const own = new Set(verified.get(row.user_id)?.map((email) => email.toLowerCase()));
    return {
      ...partOf(row),
      name: row.name,
      primary_key_id: null,
      emails: row.emails.map((email) => ({ email, verified: own.has(email.toLowerCase()) })),
      subkeys: (byKey.get(row.id) ?? []).map((subkey) => presentSubkey(subkey, row)),
      raw_key: row.raw_key,
    };
  });
}

const presentSubkey = (row: GpgKeyRow, { id }: GpgKeyRow): GpgSubkey => ({
  ...partOf(row),
  primary_key_id: id,
  emails: [],
  subkeys: [],
  raw_key: null,
});

const partOf = (row: GpgKeyRow) => ({
  id: row.id,
  key_id: row.key_id,
  public_key: row.public_key,
  can_sign: row.can_sign,
  can_encrypt_comms: row.can_encrypt_comms,
  can_encrypt_storage: row.can_encrypt_storage,
  can_certify: row.can_certify,
  created_at: timestamp(row.created_at),
  expires_at: timestampOrNull(row.expires_at),
  revoked: row.revoked,
});

export const presentSshSigningKey = ({ key, id, title, created_at }: SshSigningKeyRow): SshSigningKey => ({
  key,
  id,
  title,
  created_at: timestamp(created_at),
});
