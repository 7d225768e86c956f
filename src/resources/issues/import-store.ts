// Issues and comments that come from another server. They keep their numbers and times, and happen without events.
import { type Insertable, sql } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';
import { assignableTo } from './assignee-store.ts';

type Repository = Id<'repositories'>;
type Issue = Id<'issues'>;

/** An issue as it was on another server. */
export type ImportedIssue = Omit<Insertable<DB['issues']>, 'repository_id' | 'comments_count'> & {
  labels: readonly Id<'labels'>[];
  assignees: readonly Id<'accounts'>[];
};

/**
 * Inserts issues whose numbers are free, with their labels and assignees. Who can't be assigned in this repository is left out.
 * Returns the ids of the inserted issues by their numbers.
 */
export async function insertImportedIssues(
  tx: Tx,
  repository: Repository,
  issues: readonly ImportedIssue[],
): Promise<Map<number, Issue>> {
  if (issues.length === 0) return new Map();
  const rows = await tx
    .insertInto('issues')
    .values(issues.map(({ labels: _labels, assignees: _assignees, ...columns }) => ({ ...columns, repository_id: repository })))
    .onConflict((conflict) => conflict.columns(['repository_id', 'number']).doNothing())
    .returning(['id', 'number'])
    .execute();
  const ids = new Map(rows.map(({ id, number }) => [number, id]));
  const labels = issues.flatMap((one) => pairs(ids.get(one.number), one.labels));
  const assignees = issues.flatMap((one) => pairs(ids.get(one.number), one.assignees));
  if (labels.length > 0)
    await sql`
      insert into issue_labels (issue_id, label_id)
      select * from unnest(${labels.map(({ issue }) => issue)}::bigint[], ${labels.map(({ other }) => other)}::bigint[])
      on conflict do nothing`.execute(tx);
  if (assignees.length > 0)
    await sql`
      insert into issue_assignees (issue_id, user_id, created_at)
      select i.id, accounts.id, i.created_at
      from unnest(${assignees.map(({ issue }) => issue)}::bigint[], ${assignees.map(({ other }) => other)}::bigint[]) as a(issue, account)
        join issues i on i.id = a.issue join repositories r on r.id = i.repository_id join accounts on accounts.id = a.account
      where ${assignableTo(sql`r`)}
      on conflict do nothing`.execute(tx);
  return ids;
}

const pairs = <Other>(issue: Issue | undefined, others: readonly Other[]): { issue: Issue; other: Other }[] =>
  issue === undefined ? [] : others.map((other) => ({ issue, other }));

/** The ids of issues by their numbers. */
export async function findIssueIds(db: Db, repository: Repository, numbers: readonly number[]): Promise<Map<number, Issue>> {
  if (numbers.length === 0) return new Map();
  const rows = await db
    .selectFrom('issues')
    .select(['id', 'number'])
    .where('repository_id', '=', repository)
    .where('number', 'in', [...numbers])
    .execute();
  return new Map(rows.map(({ id, number }) => [number, id]));
}

/** A comment as it was on another server. */
export type ImportedComment = Omit<Insertable<DB['issue_comments']>, 'repository_id' | 'issue_id'> & { issue_id: Issue };

/** Inserts comments and counts them, without changing `updated_at` of their issues. Returns their ids in the same order. */
export async function insertImportedComments(
  tx: Tx,
  repository: Repository,
  comments: readonly ImportedComment[],
): Promise<Id<'issue_comments'>[]> {
  if (comments.length === 0) return [];
  const rows = await tx
    .insertInto('issue_comments')
    .values(comments.map((comment) => ({ ...comment, repository_id: repository })))
    .returning('id')
    .execute();
  await sql`
    update issues set comments_count = comments_count + c.count
    from (select issue, count(*) from unnest(${comments.map(({ issue_id }) => issue_id)}::bigint[]) as issue group by issue) c
    where issues.id = c.issue`.execute(tx);
  // Ids are given in the order of the values.
  return rows.map(({ id }) => id).sort((a, b) => a - b);
}
