import { type Selectable, sql } from 'kysely';
import { readableByAccount, readableRepositoryIds, readersOf } from '#access/sql.ts';
import type { Account, RepositoryRow, Viewer } from '#access/viewer.ts';
import type { Db, Tx } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import type { Id, RepositoryId } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';

type StarRow = Selectable<DB['stars']>;
type Owner = Id<'accounts'>;

export type StarredAt = { readonly starred_at: Date };

/** Inserts a star; false if there already is one. The caller updates the repository's count. */
export async function insertStar(tx: Tx, row: StarRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('stars')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

/** Removes a star; false if it doesn't exist. The caller updates the repository's count. */
export async function removeStar(tx: Tx, repository: RepositoryId, account: Owner): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('stars')
    .where('repository_id', '=', repository)
    .where('account_id', '=', account)
    .executeTakeFirstOrThrow();
  return numDeletedRows === 1n;
}

export const findStar = (db: Db, repository: RepositoryId, account: Owner): Promise<StarRow | undefined> =>
  db.selectFrom('stars').selectAll().where('repository_id', '=', repository).where('account_id', '=', account).executeTakeFirst();

/** The accounts that starred a repository and may still read it, earliest first. */
export const listStargazers = (db: Db, repo: RepositoryRow, page: Page): Promise<Listed<Account & StarredAt>> =>
  list(
    db,
    db
      .selectFrom('stars as s')
      .innerJoin('accounts', 'accounts.id', 's.account_id')
      .selectAll('accounts')
      .select('s.created_at as starred_at')
      .where('s.repository_id', '=', repo.id)
      .where(readersOf(repo, sql.ref('s.account_id')))
      .orderBy('s.created_at')
      .orderBy('s.account_id'),
    page,
  );

type StarOrder = { sort: 'created' | 'updated'; direction: 'asc' | 'desc' };

/** When a repository was starred, or last pushed to (the public API's meaning of `updated`). */
const sortedBy = { created: sql`s.created_at`, updated: sql`coalesce(r.pushed_at, r.created_at)` } as const;

/** The repositories that an account starred and may still read, and that the viewer may read. */
export const listStarred = (
  db: Db,
  viewer: Viewer,
  account: Owner,
  { sort, direction }: StarOrder,
  page: Page,
): Promise<Listed<RepositoryRow & StarredAt>> =>
  list(
    db,
    db
      .selectFrom('stars as s')
      .innerJoin('repositories as r', 'r.id', 's.repository_id')
      .selectAll('r')
      .select('s.created_at as starred_at')
      .where('s.account_id', '=', account)
      .where(readableByAccount(account))
      .where(sql<boolean>`r.id in ${readableRepositoryIds(viewer)}`)
      .orderBy(sortedBy[sort], direction)
      .orderBy('r.id', direction),
    page,
  );

/** The maximum number of rows that one transaction of background work removes. */
const batch = 10_000;

type Lost = { readonly owner: Owner; readonly repository: RepositoryId | undefined; readonly account: Owner | undefined };

/**
 * Removes stars of private repositories whose accounts can no longer read them, at most a batch. Returns the number for each
 * repository.
 */
export async function removeUnreadableStars(
  tx: Tx,
  { owner, repository, account }: Lost,
): Promise<{ repository: RepositoryId; count: number }[]> {
  const here = repository === undefined ? sql`true` : sql`r.id = ${repository}`;
  const whose = account === undefined ? sql`true` : sql`s.account_id = ${account}`;
  const { rows } = await sql<{ repository: RepositoryId; count: number }>`
    with gone as (
      delete from stars d using (
        select s.repository_id, s.account_id from stars s join repositories r on r.id = s.repository_id
        where r.owner_id = ${owner} and r.visibility = 'private' and ${here} and ${whose} and not exists (
          select from repository_roles role
          where role.repository_id = s.repository_id and role.account_id = s.account_id and role.level > 0)
        limit ${batch}
      ) lost
      where d.repository_id = lost.repository_id and d.account_id = lost.account_id
      returning d.repository_id
    )
    select repository_id as repository, count(*)::int as count from gone group by repository_id order by repository_id`.execute(
    tx,
  );
  return rows;
}
