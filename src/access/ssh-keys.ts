import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import type { Snapshot } from '#lib/snapshot.ts';
import { reviveAccount } from './lookup.ts';
import type { Account, Grant, Viewer } from './viewer.ts';

/** An SSH key that a client offered, with its viewer and a name for the holder: a login, or the repository of a deploy key. */
export type KnownSshKey = { id: Id<'public_keys'>; viewer: Viewer; name: string; lastUsed: Date | null };

type KeyRow = {
  id: Id<'public_keys'>;
  repository_id: Id<'repositories'> | null;
  owner_id: Id<'accounts'> | null;
  read_only: boolean;
  added_by: Id<'accounts'> | null;
  last_used_at: Date | null;
  account: Snapshot<Account> | null;
  name: string;
};

/**
 * The key with this fingerprint; undefined if nobody has it, or if it is a deploy key and the organization has disabled deploy
 * keys. Keys of suspended accounts are found too.
 */
export async function findSshKey(db: Db, fingerprint: string): Promise<KnownSshKey | undefined> {
  const { rows } = await sql<KeyRow>`
    select k.id, k.repository_id, r.owner_id, k.read_only, k.added_by, k.last_used_at, to_jsonb(a) as account,
      coalesce(a.login, o.login || '/' || r.name) as name
    from public_keys k
      left join accounts a on a.id = k.user_id
      left join repositories r on r.id = k.repository_id
      left join accounts o on o.id = r.owner_id
      left join organizations s on s.account_id = r.owner_id
    where k.fingerprint = ${fingerprint} and coalesce(s.deploy_keys_enabled_for_repositories, true)`.execute(db);
  const [row] = rows;
  return row && { id: row.id, viewer: viewerOf(row), name: row.name, lastUsed: row.last_used_at };
}

const viewerOf = (row: KeyRow): Viewer =>
  row.account
    ? { account: reviveAccount(row.account), grant: { kind: 'ssh_key', keyId: row.id, scopes: ['repo'] } }
    : { grant: deployKeyGrant(row) };

function deployKeyGrant({ id, repository_id, owner_id, read_only, added_by }: KeyRow): Grant {
  if (repository_id === null || owner_id === null) throw new Error('A key belongs to nobody');
  return {
    kind: 'deploy_key',
    keyId: id,
    repositoryId: repository_id,
    ownerId: owner_id,
    addedBy: added_by ?? undefined,
    permissions: { contents: read_only ? 'read' : 'write', metadata: 'read' },
  };
}
