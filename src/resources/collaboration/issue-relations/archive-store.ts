// Relations of issues, for archives, and as archives bring them. No events are recorded for those that come.
import { type Insertable, sql } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';

type Issue = Id<'issues'>;

/** Another issue, and since when it is a sub-issue of this one or blocks it. */
export type RelatedIssue = { of: Issue; repository_id: Id<'repositories'>; number: number; created_at: Date };

/** The sub-issues of many issues, in their order. */
export const loadSubIssues = (db: Db, parents: readonly Issue[]): Promise<RelatedIssue[]> =>
  db
    .selectFrom('sub_issues')
    .innerJoin('issues', 'issues.id', 'sub_issues.issue_id')
    .select(['sub_issues.parent_id as of', 'issues.repository_id', 'issues.number', 'sub_issues.created_at'])
    .where(sql<boolean>`sub_issues.parent_id = any (${[...parents]}::bigint[])`)
    .where('issues.is_pull_request', '=', false)
    .orderBy('sub_issues.position')
    .orderBy('issues.id')
    .execute();

/** The issues that block many issues, in the order in which they were added. */
export const loadBlocking = (db: Db, blocked: readonly Issue[]): Promise<RelatedIssue[]> =>
  db
    .selectFrom('issue_dependencies as d')
    .innerJoin('issues', 'issues.id', 'd.blocking_id')
    .select(['d.issue_id as of', 'issues.repository_id', 'issues.number', 'd.created_at'])
    .where(sql<boolean>`d.issue_id = any (${[...blocked]}::bigint[])`)
    .where('issues.is_pull_request', '=', false)
    .orderBy('d.created_at')
    .orderBy('issues.id')
    .execute();

export async function insertImportedSubIssues(tx: Tx, rows: readonly Insertable<DB['sub_issues']>[]): Promise<void> {
  if (rows.length > 0)
    await tx
      .insertInto('sub_issues')
      .values([...rows])
      .execute();
}

export async function insertImportedDependencies(tx: Tx, rows: readonly Insertable<DB['issue_dependencies']>[]): Promise<void> {
  if (rows.length > 0)
    await tx
      .insertInto('issue_dependencies')
      .values([...rows])
      .execute();
}
