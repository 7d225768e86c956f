import { type RawBuilder, type Selectable, sql } from 'kysely';
import { roleLevel } from '#access/roles.ts';
import { permissionIn } from '#access/sql.ts';
import type { RepositoryRow } from '#access/viewer.ts';
import type { Db, OrSql, Tx } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import type { Oid } from '#git/objects/oid.ts';
import type { Id, RepositoryId } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';
import type { RemovalReason } from './schemas.ts';

/** The queue of a branch, by its short name. */
export type QueueKey = { readonly repository: RepositoryId; readonly branch: string };

type Columns = Selectable<DB['merge_queue_entries']>;

/** An entry that is in a queue, or the last one of a pull request that has left. */
export type EntryRow = Omit<Columns, 'checks' | 'removal_reason'> & {
  checks: 'pending' | 'success' | 'failure' | null;
  removal_reason: RemovalReason | null;
};

const entries = (db: Db) => db.selectFrom('merge_queue_entries as e').selectAll('e').$castTo<EntryRow>();

const inQueue = (db: Db, { repository, branch }: QueueKey) =>
  entries(db).where('e.repository_id', '=', repository).where('e.base_ref', '=', branch).where('e.removed_at', 'is', null);

/** The entries of a queue in their order. */
export const listEntries = (db: Db, key: QueueKey): Promise<EntryRow[]> => inQueue(db, key).orderBy('e.position').execute();

export type ListedEntry = EntryRow & { number: number; title: string };

/** A page of the entries of a queue, with their pull requests. */
export const listNamedEntries = (db: Db, key: QueueKey, page: Page): Promise<Listed<ListedEntry>> =>
  list(
    db,
    inQueue(db, key)
      .innerJoin('issues as i', 'i.id', 'e.issue_id')
      .select(['i.number', 'i.title'])
      .$castTo<ListedEntry>()
      .orderBy('e.position'),
    page,
  );

const rankedEntries = (db: Db) =>
  entries(db)
    .innerJoin('issues as i', 'i.id', 'e.issue_id')
    .select(['i.number', 'i.title'])
    .select(
      sql<number>`(select count(*) from merge_queue_entries o where o.repository_id = e.repository_id
        and o.base_ref = e.base_ref and o.removed_at is null and o.position <= e.position)`.as('rank'),
    )
    .$castTo<ListedEntry & { rank: number }>();

/** The present or last entry of a pull request, with its position in the queue, which counts from 1. */
export const findEntry = (db: Db, issue: Id<'issues'>) => rankedEntries(db).where('e.issue_id', '=', issue).executeTakeFirst();

/** The same by the number of the pull request. */
export const selectEntryByNumber = (db: Db, repository: OrSql<RepositoryId>, number: number) =>
  rankedEntries(db).where('i.repository_id', '=', repository).where('i.number', '=', number);

/** The present entry of a pull request, its row locked. */
export const findEntryForUpdate = (tx: Tx, issue: Id<'issues'>): Promise<EntryRow | undefined> =>
  entries(tx).where('e.issue_id', '=', issue).where('e.removed_at', 'is', null).forUpdate().executeTakeFirst();

type NewEntry = Pick<
  EntryRow,
  'issue_id' | 'repository_id' | 'base_ref' | 'is_jump' | 'head_sha' | 'enqueued_by' | 'via_app_id' | 'enqueued_at'
>;

/** The number of entries of a queue, and whether a pull request is among them. The caller has locked the repository. */
export async function countEntries(
  tx: Tx,
  { repository, branch }: QueueKey,
  issue: Id<'issues'>,
): Promise<{ total: number; isQueued: boolean }> {
  const { rows } = await sql<{ total: number; queued: boolean }>`
    select count(*)::int as total, coalesce(bool_or(issue_id = ${issue}), false) as queued from merge_queue_entries
    where repository_id = ${repository} and base_ref = ${branch} and removed_at is null`.execute(tx);
  return { total: rows[0]?.total ?? 0, isQueued: rows[0]?.queued ?? false };
}

/** Adds an entry at the end of its queue, or before all others. It replaces an entry that has left. */
export async function insertEntry(tx: Tx, entry: NewEntry): Promise<void> {
  const others = sql`from merge_queue_entries o where o.repository_id = ${entry.repository_id}
    and o.base_ref = ${entry.base_ref} and o.removed_at is null`;
  const position = entry.is_jump
    ? sql<number>`(select coalesce(min(o.position), 1) - 1 ${others})`
    : sql<number>`(select coalesce(max(o.position), 0) + 1 ${others})`;
  await tx.deleteFrom('merge_queue_entries').where('issue_id', '=', entry.issue_id).execute();
  await tx
    .insertInto('merge_queue_entries')
    .values({ ...entry, position })
    .execute();
}

/** Has an entry removed by its queue. */
export const requestRemoval = (tx: Tx, issue: Id<'issues'>, by: Id<'accounts'>, at: Date) =>
  tx
    .updateTable('merge_queue_entries')
    .set({ dequeued_by: by, dequeued_at: at })
    .where('issue_id', '=', issue)
    .where('removed_at', 'is', null)
    .where('dequeued_at', 'is', null)
    .execute();

/** Whether a repository has an entry in some queue. */
export async function hasEntries(tx: Tx, repository: RepositoryId): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`select exists (select from merge_queue_entries
    where repository_id = ${repository} and removed_at is null) as found`.execute(tx);
  return rows[0]?.found ?? false;
}

/** The merge of an entry upon those before it: its branch, the commit that it was made upon, and its own. */
export type Group = { readonly ref: string; readonly base: Oid; readonly head: Oid };

/** The group of an entry; undefined while it has none. */
export const groupOf = ({ group_ref: ref, group_base_sha: base, group_head_sha: head }: EntryRow): Group | undefined =>
  ref === null || base === null || head === null ? undefined : { ref, base, head };

/** Stores the group of an entry, whose checks are expected from now on. */
export const setGroup = (tx: Tx, issue: Id<'issues'>, { ref, base, head }: Group, at: Date) =>
  tx
    .updateTable('merge_queue_entries')
    .set({
      group_ref: ref,
      group_base_sha: base,
      group_head_sha: head,
      checks: 'pending',
      requested_at: at,
      passed_at: null,
    })
    .where('issue_id', '=', issue)
    .where('removed_at', 'is', null)
    .execute();

/** What checks say of a group. `passed_at` stays once they have passed. */
export type CheckResult = { readonly issue: Id<'issues'>; readonly checks: NonNullable<EntryRow['checks']> };

/** Stores what checks say of groups. */
export const saveChecks = (db: Db, results: readonly CheckResult[], at: Date) =>
  sql`update merge_queue_entries e set checks = r.checks,
      passed_at = case when r.checks = 'success' then coalesce(e.passed_at, ${at}) end
    from jsonb_to_recordset(${JSON.stringify(results)}::jsonb) as r (issue bigint, checks text)
    where e.issue_id = r.issue and e.removed_at is null and e.checks is not null`.execute(db);

/** Takes the groups of entries away: they wait for new ones. Returns those that had one. */
export async function clearGroups(tx: Tx, issues: readonly Id<'issues'>[]): Promise<EntryRow[]> {
  const { rows } = await sql<EntryRow>`
    with former as (
      select * from merge_queue_entries where issue_id = any (${[...issues]}::bigint[]) and removed_at is null
        and group_ref is not null order by issue_id for update
    ), cleared as (
      update merge_queue_entries e set group_ref = null, group_base_sha = null, group_head_sha = null, checks = null,
        requested_at = null, passed_at = null
      from former where e.issue_id = former.issue_id
    )
    select * from former order by position`.execute(tx);
  return rows;
}

export type Removal = { readonly reason: RemovalReason; readonly message: string };

/** Ends entries, which keep the last group that they had. Returns those that were in a queue. */
export async function removeEntries(
  tx: Tx,
  issues: readonly Id<'issues'>[],
  { reason, message }: Removal,
  at: Date,
): Promise<EntryRow[]> {
  const { rows } = await sql<EntryRow>`
    update merge_queue_entries set removed_at = ${at}, removal_reason = ${reason}, removal_message = ${message}
    where issue_id = any (${[...issues]}::bigint[]) and removed_at is null returning *`.execute(tx);
  return rows.sort((a, b) => Number(a.position) - Number(b.position));
}

/** The accounts among some that may still change a queue: users who may write, and bots of apps that are installed for it. */
export async function findAllowed(
  db: Db,
  { id, owner_id }: Pick<RepositoryRow, 'id' | 'owner_id'>,
  accounts: readonly Id<'accounts'>[],
): Promise<ReadonlySet<Id<'accounts'>>> {
  if (accounts.length === 0) return new Set();
  const { rows } = await sql<{ id: Id<'accounts'> }>`
    select a.id from accounts a where a.id = any (${[...accounts]}::bigint[]) and a.suspended_at is null and (
      exists (select from repository_roles role where role.repository_id = ${id} and role.account_id = a.id
        and role.level >= ${roleLevel('write')})
      or exists (select from apps p join installations i on i.app_id = p.id
        where p.bot_id = a.id and i.account_id = ${owner_id} and i.suspended_at is null
          and ${permissionIn(sql`i.permissions`, 'merge_queues:write')}
          and (i.repository_selection = 'all' or exists (select from installation_repositories ir
            where ir.installation_id = i.id and ir.repository_id = ${id}))))`.execute(db);
  return new Set(rows.map((row) => row.id));
}

const queuesWhere = async (db: Db, condition: RawBuilder<boolean>): Promise<QueueKey[]> =>
  (
    await sql<QueueKey>`select distinct e.repository_id as repository, e.base_ref as branch
      from merge_queue_entries e where e.removed_at is null and ${condition}`.execute(db)
  ).rows;

/** All queues that have entries. */
export const listAllQueues = (db: Db): Promise<QueueKey[]> => queuesWhere(db, sql`true`);

/** The queues of some repositories that have entries. */
export const listQueues = async (db: Db, repositories: readonly RepositoryId[]): Promise<QueueKey[]> =>
  repositories.length === 0 ? [] : queuesWhere(db, sql`e.repository_id = any (${[...repositories]}::bigint[])`);

/** The queues of the repositories of some owners that have entries. */
export const listQueuesOf = async (db: Db, owners: readonly Id<'accounts'>[]): Promise<QueueKey[]> =>
  owners.length === 0
    ? []
    : queuesWhere(
        db,
        sql`e.repository_id in (select r.id from repositories r
          where r.owner_id = any (${[...owners]}::bigint[]) and r.has_merge_queue)`,
      );
