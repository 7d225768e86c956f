import { type Selectable, sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import type { Oid } from '#git/objects/oid.ts';
import type { SignatureKind } from '#git/signatures/armor.ts';
import type { Id } from '#lib/id.ts';

/** A commit or tag of a repository. */
export type ObjectName = { repository: Id<'repositories'>; oid: Oid };

/** The object as a key of a map. */
export const objectKey = ({ repository, oid }: ObjectName): string => `${repository}:${oid}`;

const columns = (names: readonly ObjectName[]) =>
  sql`unnest(${names.map(({ repository }) => repository)}::bigint[], ${names.map(({ oid }) => oid)}::text[])`;

/** When objects were verified, by `objectKey`: in their repository, or in the repository that it was forked from. */
export async function loadVerified(db: Db, names: readonly ObjectName[]): Promise<ReadonlyMap<string, Date>> {
  const { rows } = await sql<ObjectName & { verified_at: Date }>`
    select w.repository, w.oid, min(v.verified_at) as verified_at
    from ${columns(names)} as w (repository, oid)
    join repositories r on r.id = w.repository
    join verified_signatures v on v.repository_id in (r.id, r.source_id) and v.oid = w.oid
    group by w.repository, w.oid`.execute(db);
  return new Map(rows.map((row) => [objectKey(row), row.verified_at]));
}

/**
 * Records that objects were verified. Objects that were verified before keep their time. Rows are inserted in the order of their
 * names, so that two concurrent callers don't deadlock.
 */
export const insertVerified = (db: Db, rows: readonly (ObjectName & { account: Id<'accounts'> })[], now: Date) =>
  sql`insert into verified_signatures (repository_id, oid, account_id, verified_at)
    select r.id, w.oid, a.id, ${now}
    from unnest(${rows.map(({ repository }) => repository)}::bigint[], ${rows.map(({ oid }) => oid)}::text[],
      ${rows.map(({ account }) => account)}::bigint[]) as w (repository, oid, account)
    join repositories r on r.id = w.repository
    join accounts a on a.id = w.account
    order by r.id, w.oid
    on conflict do nothing`.execute(db);

/** The claimed key of a signature, and the account that has the signed object's address. */
type Claim = { kind: SignatureKind; key: string; email: string; account: Id<'accounts'> | undefined };

/**
 * The ownership of a claimed key: whether anybody has it, whether the account has it, and whether an owner of it has stated the
 * address.
 */
export type Ownership = { known: boolean; own: boolean; stated: boolean };

/** The owners of claimed keys, in the order of the claims. */
export async function loadOwnerships(db: Db, claims: readonly Claim[]): Promise<Ownership[]> {
  const { rows } = await sql<Ownership>`
    with wanted as (
      select * from unnest(${claims.map(({ kind }) => kind)}::text[], ${claims.map(({ key }) => key)}::text[],
        ${claims.map(({ email }) => email)}::text[], ${claims.map(({ account }) => account ?? null)}::bigint[])
        with ordinality as w (kind, key, email, account, position)
    ), keys as (
      select 'ssh' as kind, fingerprint as key, user_id from ssh_signing_keys
        where fingerprint in (select key from wanted where kind = 'ssh')
      union all
      select 'openpgp', key_id, user_id from gpg_keys where key_id in (select key from wanted where kind = 'openpgp')
    )
    select
      exists (select from keys k where k.kind = w.kind and k.key = w.key) as known,
      exists (select from keys k where k.kind = w.kind and k.key = w.key and k.user_id = w.account) as own,
      exists (
        select from keys k join email_addresses e on e.account_id = k.user_id
        where k.kind = w.kind and k.key = w.key and e.verified_at is null and lower(e.email) = w.email
      ) as stated
    from wanted w order by w.position`.execute(db);
  return rows;
}

/** A part of an OpenPGP key that may have signed, with the properties of the whole key. */
export type SigningPart = Pick<
  Selectable<DB['gpg_keys']>,
  'user_id' | 'key_id' | 'fingerprint' | 'can_sign' | 'revoked' | 'expires_at' | 'emails'
> & { armored: string; primary_fingerprint: string };

/** A map key for a part of an OpenPGP key. */
export const partKey = (account: Id<'accounts'>, keyId: string): string => `${account}:${keyId}`;

/** The parts of accounts' OpenPGP keys with these ids, by `partKey`. */
export async function loadSigningParts(
  db: Db,
  wanted: readonly { account: Id<'accounts'>; keyId: string }[],
): Promise<ReadonlyMap<string, SigningPart>> {
  const { rows } = await sql<SigningPart>`
    select part.user_id, part.key_id, part.fingerprint, part.can_sign, part.revoked or main.revoked as revoked,
      least(part.expires_at, main.expires_at) as expires_at, main.emails, main.raw_key as armored,
      main.fingerprint as primary_fingerprint
    from (
      select distinct *
      from unnest(${wanted.map(({ account }) => account)}::bigint[], ${wanted.map(({ keyId }) => keyId)}::text[]))
      as w (account, key)
    join gpg_keys part on part.user_id = w.account and part.key_id = w.key
    join gpg_keys main on main.id = coalesce(part.primary_key_id, part.id)
    order by part.id`.execute(db);
  return new Map(rows.map((row) => [partKey(row.user_id, row.key_id), row]));
}

/** Whether any account has a key that signs. */
export async function hasSigningKeys(db: Db): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from ssh_signing_keys) or exists (select from gpg_keys) as found`.execute(db);
  return rows[0]?.found === true;
}
