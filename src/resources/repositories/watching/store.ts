import { type RawBuilder, type Selectable, sql } from 'kysely';
import { belongsToOrganization, readableByAccount, readableRepositoryIds, readersOf } from '#access/sql.ts';
import type { Account, RepositoryRow, Viewer } from '#access/viewer.ts';
import type { Db, Tx } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import type { Id, RepositoryId } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';

export type WatchRow = Selectable<DB['repository_subscriptions']>;
type Watcher = Id<'accounts'>;

export const findWatch = (db: Db, repository: RepositoryId, account: Watcher): Promise<WatchRow | undefined> =>
  db
    .selectFrom('repository_subscriptions')
    .selectAll()
    .where('repository_id', '=', repository)
    .where('account_id', '=', account)
    .executeTakeFirst();

/** Starts to watch or to ignore a repository. The first time is kept. */
export const putWatch = (tx: Tx, { repository_id, account_id, ignored, created_at }: WatchRow): Promise<WatchRow> =>
  tx
    .insertInto('repository_subscriptions')
    .values({ repository_id, account_id, ignored, created_at })
    .onConflict((conflict) => conflict.columns(['repository_id', 'account_id']).doUpdateSet({ ignored }))
    .returningAll()
    .executeTakeFirstOrThrow();

export const removeWatch = (tx: Tx, repository: RepositoryId, account: Watcher) =>
  tx.deleteFrom('repository_subscriptions').where('repository_id', '=', repository).where('account_id', '=', account).execute();

/**
 * Whether the viewer may know that the account watches the repository. People automatically watch repositories that they may push
 * to, so watching would disclose membership of an organization. Concealed members are shown to its members only (security
 * decision 4).
 */
const mayKnowWatcher = (viewer: Viewer, repository: { id: RawBuilder<unknown>; owner: RawBuilder<unknown> }) =>
  sql<boolean>`(${belongsToOrganization(viewer, repository.owner)}
    or not exists (select from memberships m
      where m.organization_id = ${repository.owner} and m.user_id = s.account_id and not m.public)
    or exists (select from collaborators c where c.repository_id = ${repository.id} and c.user_id = s.account_id))`;

/** The accounts that watch a repository and may still read it, and that the viewer may know of. */
export const listWatchers = (db: Db, viewer: Viewer, repo: RepositoryRow, page: Page): Promise<Listed<Account>> =>
  list(
    db,
    db
      .selectFrom('repository_subscriptions as s')
      .innerJoin('accounts', 'accounts.id', 's.account_id')
      .selectAll('accounts')
      .where('s.repository_id', '=', repo.id)
      .where('s.ignored', '=', false)
      .where(readersOf(repo, sql.ref('s.account_id')))
      .where(mayKnowWatcher(viewer, { id: sql`${repo.id}::bigint`, owner: sql`${repo.owner_id}::bigint` }))
      .orderBy('s.account_id'),
    page,
  );

/** The repositories that an account watches and may still read, and that the viewer may read. */
export const listWatched = (db: Db, viewer: Viewer, account: Watcher, page: Page): Promise<Listed<RepositoryRow>> =>
  list(
    db,
    db
      .selectFrom('repository_subscriptions as s')
      .innerJoin('repositories as r', 'r.id', 's.repository_id')
      .selectAll('r')
      .where('s.account_id', '=', account)
      .where('s.ignored', '=', false)
      .where(readableByAccount(account))
      .where(sql<boolean>`r.id in ${readableRepositoryIds(viewer)}`)
      .where(
        viewer.account?.id === account
          ? sql<boolean>`true`
          : mayKnowWatcher(viewer, { id: sql.ref('r.id'), owner: sql.ref('r.owner_id') }),
      )
      .orderBy('r.id'),
    page,
  );

/** The maximum number of rows that one transaction of background work writes or removes. */
const batch = 10_000;

/** The conditions apply to the row `role` of `repository_roles` and to the repository `r`. */
type Gained = {
  readonly owner: Watcher;
  readonly where: RawBuilder<boolean>;
  readonly after: RepositoryId;
  readonly now: Date;
};

/**
 * Subscribes people to the repositories that they may push to, if they have no subscription there. As in the public API, forks
 * are excluded. It handles a batch of repositories, ordered by id, and returns the last of them; undefined if there are no more.
 */
export async function watchPushable(tx: Tx, { owner, where, after, now }: Gained): Promise<RepositoryId | undefined> {
  const { rows } = await sql<{ last: RepositoryId | null; count: number }>`
    with next as materialized (
      select r.id from repositories r where r.owner_id = ${owner} and r.id > ${after} order by r.id limit ${batch}
    ), watching as (
      insert into repository_subscriptions (repository_id, account_id, created_at)
      select distinct role.repository_id, role.account_id, ${now}::timestamptz
      from next join repositories r on r.id = next.id
      join repository_roles role on role.repository_id = r.id
      join accounts a on a.id = role.account_id and a.kind = 'user'
      where role.level >= 3 and r.parent_id is null and ${where}
      order by 1, 2
      on conflict do nothing
    )
    select max(id) as last, count(*) as count from next`.execute(tx);
  const [found] = rows;
  return found && found.count === batch ? (found.last ?? undefined) : undefined;
}

type Lost = { readonly owner: Watcher; readonly repository: RepositoryId | undefined; readonly account: Watcher | undefined };

/** Ends subscriptions to private repositories that are no longer readable, at most a batch. Returns their number. */
export async function removeUnreadable(tx: Tx, { owner, repository, account }: Lost): Promise<number> {
  const here = repository === undefined ? sql`true` : sql`r.id = ${repository}`;
  const whose = account === undefined ? sql`true` : sql`s.account_id = ${account}`;
  const { numAffectedRows } = await sql`
    delete from repository_subscriptions gone using (
      select s.repository_id, s.account_id from repository_subscriptions s join repositories r on r.id = s.repository_id
      where r.owner_id = ${owner} and r.visibility = 'private' and ${here} and ${whose} and not exists (
        select from repository_roles role
        where role.repository_id = s.repository_id and role.account_id = s.account_id and role.level > 0)
      limit ${batch}
    ) lost
    where gone.repository_id = lost.repository_id and gone.account_id = lost.account_id`.execute(tx);
  return Number(numAffectedRows ?? 0n);
}

export const watchBatch = batch;
