// Issues, comments and events that come from another server or from an archive, with their numbers and times. No events are
// recorded for them, so that they notify nobody.
import { type Insertable, sql } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import { gather } from '#lib/collections.ts';
import type { Id, RepositoryId } from '#lib/id.ts';
import { assignableTo } from '../assignment/store.ts';
import type { IssueEventData } from '../timeline/store.ts';

type Issue = Id<'issues'>;

/** An issue with its labels and with its assignees in their order. */
export type ImportedIssue = {
  row: Omit<Insertable<DB['issues']>, 'comments_count'>;
  labels: readonly Id<'labels'>[];
  assignees: readonly Id<'accounts'>[];
};

/**
 * Inserts issues with their labels and assignees, at most one of each number and repository. `assignees` tells whether those who
 * have no role in the repository stay assigned. Returns the ids in the order of the issues; undefined where a number was taken.
 */
export async function insertImportedIssues(
  tx: Tx,
  issues: readonly ImportedIssue[],
  { assignees }: { assignees: 'all' | 'assignable' },
): Promise<(Issue | undefined)[]> {
  if (issues.length === 0) return [];
  const inserted = await tx
    .insertInto('issues')
    .values(issues.map(({ row }) => row))
    .onConflict((conflict) => conflict.columns(['repository_id', 'number']).doNothing())
    .returning(['id', 'repository_id', 'number'])
    .execute();
  const idOf = new Map(inserted.map(({ id, repository_id, number }) => [`${repository_id} ${number}`, id]));
  const ids = issues.map(({ row }) => idOf.get(`${row.repository_id} ${row.number}`));
  await insertLabels(
    tx,
    pairs(ids, (at) => issues[at]?.labels),
  );
  await insertAssignees(
    tx,
    pairs(ids, (at) => issues[at]?.assignees),
    assignees,
  );
  return ids;
}

type Pair<Other> = { issue: Issue; other: Other };

/** Each inserted issue with each of what belongs to it. */
const pairs = <Other>(
  ids: readonly (Issue | undefined)[],
  othersAt: (at: number) => readonly Other[] | undefined,
): Pair<Other>[] =>
  ids.flatMap((issue, at) => (issue === undefined ? [] : (othersAt(at) ?? []).map((other) => ({ issue, other }))));

async function insertLabels(tx: Tx, labels: readonly Pair<Id<'labels'>>[]): Promise<void> {
  if (labels.length === 0) return;
  await sql`
    insert into issue_labels (issue_id, label_id)
    select * from unnest(${gather(labels, 'issue')}::bigint[], ${gather(labels, 'other')}::bigint[])
    on conflict do nothing`.execute(tx);
}

/** The order of assignees is that of their times, so each is a millisecond later than the one before. */
async function insertAssignees(tx: Tx, assignees: readonly Pair<Id<'accounts'>>[], which: 'all' | 'assignable'): Promise<void> {
  if (assignees.length === 0) return;
  await sql`
    insert into issue_assignees (issue_id, user_id, created_at)
    select i.id, accounts.id, i.created_at + a.nth * interval '1 millisecond'
    from unnest(${assignees.map(({ issue }) => issue)}::bigint[], ${assignees.map(({ other }) => other)}::bigint[])
        with ordinality as a(issue, account, nth)
      join issues i on i.id = a.issue join repositories r on r.id = i.repository_id join accounts on accounts.id = a.account
    where ${which === 'all' ? sql`true` : assignableTo(sql`r`)}
    on conflict do nothing`.execute(tx);
}

/** The ids of issues by their numbers. */
export async function findIssueIds(db: Db, repository: RepositoryId, numbers: readonly number[]): Promise<Map<number, Issue>> {
  if (numbers.length === 0) return new Map();
  const rows = await db
    .selectFrom('issues')
    .select(['id', 'number'])
    .where('repository_id', '=', repository)
    .where('number', 'in', [...numbers])
    .execute();
  return new Map(rows.map(({ id, number }) => [number, id]));
}

/** Inserts comments and counts them, without changing `updated_at` of their issues. Returns their ids in the same order. */
export async function insertImportedComments(
  tx: Tx,
  comments: readonly (Insertable<DB['issue_comments']> & { issue_id: Issue })[],
): Promise<Id<'issue_comments'>[]> {
  if (comments.length === 0) return [];
  const rows = await tx
    .insertInto('issue_comments')
    .values([...comments])
    .returning('id')
    .execute();
  await sql`
    update issues set comments_count = comments_count + c.count
    from (select issue, count(*) from unnest(${comments.map(({ issue_id }) => issue_id)}::bigint[]) as issue group by issue) c
    where issues.id = c.issue`.execute(tx);
  // Ids are given in the order of the values.
  return gather(rows, 'id').sort((a, b) => a - b);
}

/** Inserts events of issues, in their order. Of what can be told once alone, as a mention, a second event is left out. */
export async function insertImportedEvents(
  tx: Tx,
  rows: readonly (Omit<Insertable<DB['issue_events']>, 'data'> & { data: IssueEventData })[],
): Promise<void> {
  if (rows.length === 0) return;
  const values = rows.map(({ data, ...row }) => ({ ...row, data: JSON.stringify(data) }));
  await tx
    .insertInto('issue_events')
    .values(values)
    .onConflict((clash) => clash.doNothing())
    .execute();
}

/** Notes of which issues others are duplicates. */
export async function setDuplicates(tx: Tx, pairs: readonly { issue: Issue; of: Issue }[]): Promise<void> {
  if (pairs.length === 0) return;
  await sql`
    update issues set duplicate_of_id = d.of
    from unnest(${gather(pairs, 'issue')}::bigint[], ${gather(pairs, 'of')}::bigint[]) as d (issue, of)
    where issues.id = d.issue`.execute(tx);
}

/** How many issues of a repository are open, and the largest number. */
export async function issueTotals(tx: Tx, repository: RepositoryId): Promise<{ open: number; highest: number }> {
  return tx
    .selectFrom('issues')
    .select([sql<number>`count(*) filter (where state = 'open')`.as('open'), sql<number>`coalesce(max(number), 0)`.as('highest')])
    .where('repository_id', '=', repository)
    .executeTakeFirstOrThrow();
}
