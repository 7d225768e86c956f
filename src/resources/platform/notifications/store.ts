import { type RawBuilder, type Selectable, type SelectQueryBuilder, sql } from 'kysely';
import { readableByAccount } from '#access/sql.ts';
import type { Db, Tx } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import { keyed } from '#lib/collections.ts';
import type { Id, RepositoryId } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';
import { touchInboxes } from './inbox-store.ts';
import type { SubjectRow } from './subject-store.ts';

type Account = Id<'accounts'>;

/** A thread with its subject. */
export type ThreadRow = Selectable<DB['notification_threads']> &
  Pick<
    SubjectRow,
    'kind' | 'issue_id' | 'commit_sha' | 'release_id' | 'secret_alert_id' | 'repository_advisory_id' | 'budget_id' | 'title'
  > & {
    owner_id: Account;
  };

const threads = (db: Db) =>
  db
    .selectFrom('notification_threads as t')
    .innerJoin('repositories as r', 'r.id', 't.repository_id')
    .innerJoin('notification_subjects as s', 's.id', 't.subject_id')
    .selectAll('t')
    .select([
      'r.owner_id',
      's.kind',
      's.issue_id',
      's.commit_sha',
      's.release_id',
      's.secret_alert_id',
      's.repository_advisory_id',
      's.budget_id',
      's.title',
    ]);

/** The viewer's own thread, if its repository is still readable. */
export const findThread = (db: Db, account: Account, id: Id<'notification_threads'>): Promise<ThreadRow | undefined> =>
  threads(db).where('t.id', '=', id).where('t.account_id', '=', account).where(readableByAccount(account)).executeTakeFirst();

type InboxFilter = {
  readonly account: Account;
  readonly repository?: RepositoryId | undefined;
  readonly all: boolean;
  readonly participating: boolean;
  readonly since: Date | undefined;
  readonly before: Date | undefined;
};

/**
 * The repositories of an account's threads that it may no longer read. All repositories with threads are checked, found one by
 * one in the index, so that the time depends neither on the number of threads nor on the number of all repositories.
 */
const hiddenInInbox = (account: Account): RawBuilder<unknown> => sql`
  with recursive mine(id) as (
    (select repository_id from notification_threads where account_id = ${account} order by repository_id limit 1)
    union all
    select (select repository_id from notification_threads
      where account_id = ${account} and repository_id > mine.id order by repository_id limit 1)
    from mine where mine.id is not null
  )
  select r.id from mine join repositories r on r.id = mine.id where ${readableByAccount(account)} is not true`;

/**
 * One page of an inbox, newest update first. An index alone finds the page, even deep in a long inbox, and its rows are read
 * afterwards. The same statement determines the hidden repositories, once. (PostgreSQL would turn a plain `not in` into a join,
 * and looking up each readable repository takes half as long again.)
 */
export async function listThreads(db: Db, filter: InboxFilter, page: Page): Promise<Listed<ThreadRow>> {
  const { account, repository, all, participating, since, before } = filter;
  let query = db.selectFrom('notification_threads as t').select('t.id').where('t.account_id', '=', account);
  query =
    repository === undefined
      ? query.where(sql<boolean>`(t.repository_id in (${hiddenInInbox(account)})) is not true`)
      : query.where('t.repository_id', '=', repository);
  query = query.where(sql<boolean>`not t.done`);
  if (!all) query = query.where(sql<boolean>`t.unread`);
  if (participating) query = query.where('t.reason', '<>', 'subscribed');
  if (since) query = query.where('t.updated_at', '>=', since);
  if (before) query = query.where('t.updated_at', '<', before);
  const found = await list(db, newestFirst(query), page);
  return { ...found, rows: await loadThreads(db, found.rows) };
}

const newestFirst = <Row>(query: SelectQueryBuilder<DB & { t: DB['notification_threads'] }, 't', Row>) =>
  query.orderBy('t.updated_at', 'desc').orderBy('t.id', 'desc');

/** Threads in the order of the given ids. */
async function loadThreads(db: Db, ids: readonly { id: Id<'notification_threads'> }[]): Promise<ThreadRow[]> {
  if (ids.length === 0) return [];
  const wanted = ids.map(({ id }) => id);
  const rows = keyed(await threads(db).where('t.id', 'in', wanted).execute(), ({ id }) => id);
  return wanted.flatMap((id) => rows.get(id) ?? []);
}

type Change = { readonly account_id: Account; readonly id: Id<'notification_threads'> };

/** Marks a thread as read, if it is unread, and touches the inbox. */
export const markRead = (tx: Tx, { id }: Change, now: Date) =>
  sql`
    with changed as (
      update notification_threads set unread = false, last_read_at = ${now} where id = ${id} and unread returning account_id
    ) ${touchInboxes(sql`select account_id from changed`, now)}`.execute(tx);

/** Marks a thread as done, and therefore as read. It isn't listed until something new happens. */
export const markDone = (tx: Tx, { id }: Change, now: Date) =>
  sql`
    with changed as (
      update notification_threads set done = true, unread = false, last_read_at = ${now} where id = ${id} and not done
      returning account_id
    ) ${touchInboxes(sql`select account_id from changed`, now)}`.execute(tx);

type Reading = {
  readonly account: Account;
  readonly repository: RepositoryId | undefined;
  /** Threads with later changes stay unread. */
  readonly until: Date;
  readonly now: Date;
};

/**
 * Marks unread threads of an inbox as read: all of them, if there are at most `most`. If there are more, nothing is marked, or
 * `most` of them with `anyway`. Returns whether there were more.
 */
export async function markAllRead(
  tx: Tx,
  { account, repository, until, now }: Reading,
  { most, anyway }: { most: number; anyway: boolean },
): Promise<'all' | 'more'> {
  const here = repository === undefined ? sql`true` : sql`t.repository_id = ${repository}`;
  const { rows } = await sql<{ found: number }>`
    with unread as materialized (
      select t.id from notification_threads t
      where t.account_id = ${account} and t.unread and not t.done and t.updated_at <= ${until} and ${here}
      order by t.updated_at desc, t.id desc limit ${most + 1}
    ), wanted as (
      select id from unread where ${anyway} or (select count(*) from unread) <= ${most} limit ${most}
    ), changed as (
      update notification_threads t set unread = false, last_read_at = ${until < now ? until : now}
      from wanted where t.id = wanted.id returning t.account_id
    ), touched as (${touchInboxes(sql`select account_id from changed`, now)})
    select count(*) as found from unread`.execute(tx);
  return (rows[0]?.found ?? 0) > most ? 'more' : 'all';
}
