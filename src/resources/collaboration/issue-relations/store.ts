import { type SelectQueryBuilder, sql } from 'kysely';
import { readableRepositoryIds } from '#access/sql.ts';
import type { Viewer } from '#access/viewer.ts';
import type { Db, Tx } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { DB } from '#database/tables.ts';

import type { Id } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';
import type { IssueRow } from '#resources/collaboration/issues/index.ts';

type Issue = Id<'issues'>;

/** Whether the viewer may read the row `issues`, which is related to an issue that the viewer may read. */
const readableBeside = (viewer: Viewer, { repository_id }: Pick<IssueRow, 'repository_id'>) =>
  sql<boolean>`(issues.repository_id = ${repository_id} or issues.repository_id in (
    select s.id from repositories s where s.has_issues and s.id in ${readableRepositoryIds(viewer, 'issues')}))`;

/** The sub-issues of an issue that the viewer may read, in order. */
export function listSubIssues(db: Db, viewer: Viewer, parent: IssueRow, page: Page): Promise<Listed<IssueRow>> {
  const query = db
    .selectFrom('issues')
    .innerJoin('sub_issues', 'sub_issues.issue_id', 'issues.id')
    .selectAll('issues')
    .where('sub_issues.parent_id', '=', parent.id)
    .where(readableBeside(viewer, parent))
    .orderBy('sub_issues.position')
    .orderBy('issues.id');
  return list(db, query as unknown as IssuesQuery, page); // the join adds no column
}
type IssuesQuery = SelectQueryBuilder<DB, 'issues', IssueRow>;

/** The parent of an issue, if the viewer may read it. */
export const findParent = (db: Db, viewer: Viewer, issue: IssueRow): Promise<IssueRow | undefined> =>
  db
    .selectFrom('issues')
    .selectAll('issues')
    .where('id', '=', ({ selectFrom }) => selectFrom('sub_issues').select('parent_id').where('issue_id', '=', issue.id))
    .where(readableBeside(viewer, issue))
    .executeTakeFirst();

/** The position that an issue would have as a sub-issue of another. */
export type Placement = {
  /** The number of issues above the parent. */
  above: number;
  /** Whether the issue itself is one of them. */
  is_above: boolean;
  /** The number of levels below the issue. */
  below: number;
  /** The number of the parent's sub-issues. */
  siblings: number;
  /** The issue's current parent. */
  former: Issue | null;
};

/** @param levels the maximum number of levels to search up and down */
export async function findPlacement(tx: Tx, parent: Issue, issue: Issue, levels: number): Promise<Placement> {
  const { rows } = await sql<Placement>`
    with recursive above as (
      select parent_id as id, 1 as level from sub_issues where issue_id = ${parent}
      union all
      select s.parent_id, a.level + 1 from above a join sub_issues s on s.issue_id = a.id where a.level < ${levels}
    ), below as (
      select issue_id as id, 1 as level from sub_issues where parent_id = ${issue}
      union all
      select s.issue_id, b.level + 1 from below b join sub_issues s on s.parent_id = b.id where b.level < ${levels}
    )
    select (select count(*) from above) as above, exists (select from above where id = ${issue}) as is_above,
      (select coalesce(max(level), 0) from below) as below,
      (select count(*) from sub_issues where parent_id = ${parent}) as siblings,
      (select parent_id from sub_issues where issue_id = ${issue}) as former`.execute(tx);
  return rows[0] ?? { above: 0, is_above: false, below: 0, siblings: 0, former: null };
}

/** Makes an issue the last sub-issue of another, even if it had another parent. */
export const putSubIssue = (tx: Tx, parent: Issue, issue: Issue, at: Date) =>
  sql`insert into sub_issues (issue_id, parent_id, position, created_at)
    select ${issue}, ${parent}, coalesce(max(position), 0) + 1, ${at} from sub_issues where parent_id = ${parent}
    on conflict (issue_id) do update
      set parent_id = excluded.parent_id, position = excluded.position, created_at = excluded.created_at`.execute(tx);

/** Removes a sub-issue from its parent. Returns whether it was one. */
export async function removeSubIssue(tx: Tx, parent: Issue, issue: Issue): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('sub_issues')
    .where('issue_id', '=', issue)
    .where('parent_id', '=', parent)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/** The positions of the given issues that are sub-issues of another. */
export async function loadPositions(tx: Tx, parent: Issue, issues: readonly Issue[]): Promise<Map<Issue, number>> {
  const rows = await tx
    .selectFrom('sub_issues')
    .select(['issue_id', 'position'])
    .where('parent_id', '=', parent)
    .where('issue_id', 'in', [...issues])
    .execute();
  return new Map(rows.map(({ issue_id, position }) => [issue_id, position]));
}

/** Moves a sub-issue between others, and renumbers them. */
export const moveSubIssue = (tx: Tx, parent: Issue, issue: Issue, index: number) =>
  sql`update sub_issues s set position = n.position
    from (
      select issue_id,
        row_number() over (order by case issue_id when ${issue} then ${index}::numeric else position end) as position
      from sub_issues where parent_id = ${parent}) as n
    where n.issue_id = s.issue_id and n.position <> s.position`.execute(tx);

/** The two sides of a dependency: the issues that block an issue, and the issues that it blocks. */
type Side = 'blocked_by' | 'blocking';
const columns = { blocked_by: ['issue_id', 'blocking_id'], blocking: ['blocking_id', 'issue_id'] } as const satisfies Record<
  Side,
  readonly string[]
>;

/** The issues on one side of an issue's dependencies that the viewer may read, oldest dependency first. */
export function listDependencies(db: Db, viewer: Viewer, issue: IssueRow, side: Side, page: Page): Promise<Listed<IssueRow>> {
  const [own, other] = columns[side];
  const query = db
    .selectFrom('issues')
    .innerJoin('issue_dependencies as d', `d.${other}`, 'issues.id')
    .selectAll('issues')
    .where(`d.${own}`, '=', issue.id)
    .where(readableBeside(viewer, issue))
    .orderBy('d.created_at')
    .orderBy('issues.id');
  return list(db, query as unknown as IssuesQuery, page); // the join adds no column
}

/** An issue that blocks another, if the viewer may read it. */
export const findBlocking = (
  db: Db,
  viewer: Viewer | 'everybody',
  issue: IssueRow,
  blocking: Issue,
): Promise<IssueRow | undefined> =>
  db
    .selectFrom('issues')
    .innerJoin('issue_dependencies as d', 'd.blocking_id', 'issues.id')
    .selectAll('issues')
    .where('d.issue_id', '=', issue.id)
    .where('d.blocking_id', '=', blocking)
    .where(viewer === 'everybody' ? sql<boolean>`true` : readableBeside(viewer, issue))
    .executeTakeFirst();

/**
 * The number of issues that block the first issue, the number that the other issue blocks, and whether the other blocks the
 * first.
 */
export async function countDependencies(tx: Tx, issue: Issue, blocking: Issue) {
  const { rows } = await sql<{ blocked_by: number; blocking: number; exists: boolean }>`
    select (select count(*) from issue_dependencies where issue_id = ${issue}) as blocked_by,
      (select count(*) from issue_dependencies where blocking_id = ${blocking}) as blocking,
      exists (select from issue_dependencies where issue_id = ${issue} and blocking_id = ${blocking}) as exists`.execute(tx);
  return rows[0] ?? { blocked_by: 0, blocking: 0, exists: false };
}

export const insertDependency = (tx: Tx, issue: Issue, blocking: Issue, at: Date) =>
  tx.insertInto('issue_dependencies').values({ issue_id: issue, blocking_id: blocking, created_at: at }).execute();

export const removeDependency = (tx: Tx, issue: Issue, blocking: Issue) =>
  tx.deleteFrom('issue_dependencies').where('issue_id', '=', issue).where('blocking_id', '=', blocking).execute();

/** Removes all relations of an issue. Returns them: parents with their sub-issues, and issues with their blocking issues. */
export async function removeRelations(
  tx: Tx,
  issue: Issue,
): Promise<{ subIssues: { parent_id: Issue; issue_id: Issue }[]; dependencies: { issue_id: Issue; blocking_id: Issue }[] }> {
  const [subIssues, dependencies] = await Promise.all([
    tx
      .deleteFrom('sub_issues')
      .where((eb) => eb.or([eb('issue_id', '=', issue), eb('parent_id', '=', issue)]))
      .returning(['parent_id', 'issue_id'])
      .execute(),
    tx
      .deleteFrom('issue_dependencies')
      .where((eb) => eb.or([eb('issue_id', '=', issue), eb('blocking_id', '=', issue)]))
      .returning(['issue_id', 'blocking_id'])
      .execute(),
  ]);
  return { subIssues, dependencies };
}
