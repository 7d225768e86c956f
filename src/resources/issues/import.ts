// Issues that come with their numbers, times and people from another server. No events are recorded: nobody is told of them.
import { type Insertable, sql } from 'kysely';
import type { Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import { gather, grouped } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { addSeconds } from '#lib/time.ts';
import type { IssueEventData } from './event-store.ts';

/** An issue with the labels and assignees that it has. */
export type ArchivedIssue = {
  row: Insertable<DB['issues']>;
  labels: readonly Id<'labels'>[];
  /** In their order. */
  assignees: readonly Id<'accounts'>[];
};

/** Inserts issues, with what belongs to them; gives their ids in the same order. */
export async function insertIssuesOf(tx: Tx, issues: readonly ArchivedIssue[]): Promise<Id<'issues'>[]> {
  if (issues.length === 0) return [];
  const inserted = await tx
    .insertInto('issues')
    .values(issues.map(({ row }) => row))
    .returning(['id', 'repository_id', 'number'])
    .execute();
  const idOf = new Map(inserted.map(({ id, repository_id, number }) => [`${repository_id} ${number}`, id]));
  const ids = issues.map(({ row }) => idOf.get(`${row.repository_id} ${row.number}`) as Id<'issues'>); // each was inserted
  const labels = issues.flatMap((issue, at) => issue.labels.map((label_id) => ({ issue_id: ids[at] as Id<'issues'>, label_id })));
  if (labels.length > 0)
    await tx
      .insertInto('issue_labels')
      .values(labels)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  const assignees = issues.flatMap(({ row, assignees }, at) =>
    assignees.map((user_id, nth) => ({
      issue_id: ids[at] as Id<'issues'>,
      user_id,
      created_at: addSeconds(row.created_at as Date, nth / 1_000), // the order of assignees is that of their times
    })),
  );
  if (assignees.length > 0)
    await tx
      .insertInto('issue_assignees')
      .values(assignees)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  return ids;
}

/** Inserts comments in their order, and counts them on their issues; gives their ids in the same order. */
export async function insertCommentsOf(
  tx: Tx,
  rows: readonly (Insertable<DB['issue_comments']> & { issue_id: Id<'issues'> })[],
): Promise<Id<'issue_comments'>[]> {
  if (rows.length === 0) return [];
  const inserted = await tx
    .insertInto('issue_comments')
    .values([...rows])
    .returning('id')
    .execute();
  const counts = [...grouped(rows, ({ issue_id }) => issue_id)].map(([id, of]) => ({ id, count: of.length }));
  await sql`
    update issues set comments_count = comments_count + c.count
    from json_to_recordset(${JSON.stringify(counts)}::json) as c (id bigint, count integer) where issues.id = c.id`.execute(tx);
  // One statement gives ids in the order of its rows.
  return gather(inserted, 'id').sort((a, b) => a - b);
}

/** Inserts events of issues, in their order. */
export async function insertEventsOf(
  tx: Tx,
  rows: readonly (Omit<Insertable<DB['issue_events']>, 'data'> & { data: IssueEventData })[],
): Promise<void> {
  if (rows.length === 0) return;
  const values = rows.map(({ data, ...row }) => ({ ...row, data: JSON.stringify(data) }));
  await tx.insertInto('issue_events').values(values).execute();
}

/** How many issues of a repository are open, and the largest number. */
export async function issueTotals(tx: Tx, repository: Id<'repositories'>): Promise<{ open: number; last: number }> {
  const { open, last } = await tx
    .selectFrom('issues')
    .select([sql<number>`count(*) filter (where state = 'open')`.as('open'), sql<number>`coalesce(max(number), 0)`.as('last')])
    .where('repository_id', '=', repository)
    .executeTakeFirstOrThrow();
  return { open, last };
}
