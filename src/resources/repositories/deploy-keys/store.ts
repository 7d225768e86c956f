import { sql } from 'kysely';
import type { Db, OrSql, Tx } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { Id, RepositoryId } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';
import type { KeyRow } from '#resources/identity/accounts/index.ts';

/** A deploy key, with the login of the user who added it. It is disabled if the organization has disabled deploy keys. */
export type DeployKeyRow = KeyRow & { adder: string | null; enabled: boolean };

type Key = Id<'public_keys'>;

const isEnabled = sql<boolean>`coalesce((select o.deploy_keys_enabled_for_repositories
  from repositories r join organizations o on o.account_id = r.owner_id where r.id = public_keys.repository_id), true)`;

const selectDeployKeys = (db: Db) =>
  db
    .selectFrom('public_keys')
    .leftJoin('accounts', 'accounts.id', 'public_keys.added_by')
    .selectAll('public_keys')
    .select('accounts.login as adder')
    .select(isEnabled.as('enabled'));

export const listDeployKeys = (db: Db, repository: RepositoryId, page: Page): Promise<Listed<DeployKeyRow>> =>
  list(db, selectDeployKeys(db).where('repository_id', '=', repository).orderBy('public_keys.id'), page);

export const selectDeployKey = (db: Db, repository: OrSql<RepositoryId>, id: Key) =>
  selectDeployKeys(db).where('repository_id', '=', repository).where('public_keys.id', '=', id);

export const findDeployKeyById = (db: Db, id: Key): Promise<DeployKeyRow | undefined> =>
  selectDeployKeys(db).where('public_keys.id', '=', id).executeTakeFirst();

/** Reads the key again and locks its row; undefined if it was deleted. */
export const findDeployKeyForUpdate = (tx: Tx, { id }: Pick<DeployKeyRow, 'id'>): Promise<DeployKeyRow | undefined> =>
  selectDeployKeys(tx).where('public_keys.id', '=', id).forUpdate('public_keys').executeTakeFirst();
