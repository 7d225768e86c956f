// The issues to which the issues of a page are related: the parent, sub-issues, and dependencies both ways.
import { type RawBuilder, sql } from 'kysely';
import { constantSql } from '#database/constant-sql.ts';
import { type Links, path, repositoryUrl } from '#endpoint/links.ts';
import type { Scope } from '#endpoint/scope.ts';
import { keyed } from '#lib/collections.ts';
import type { Id, RepositoryId } from '#lib/id.ts';
import { loadReadableNamedRepositories, type RepositoryWithOwner } from '#resources/repositories/repositories/index.ts';
import type { Relations } from './schemas.ts';

/** The issues of one repository to which an issue is related in one way: how many there are, and how many of them are open. */
export type Related = {
  issue: Id<'issues'>;
  kind: 'parent' | 'sub_issue' | 'blocked_by' | 'blocking';
  repository: RepositoryId;
  total: number;
  open: number;
  /** The number of the parent. */
  number: number | null;
};

/**
 * A list of `Related` for some issues, as JSON. They are counted where they are shown: an issue has few, and rows with counts of
 * their own would have to be changed with each state of another issue.
 */
export const relatedAsJson = (issues: RawBuilder<unknown>) => sql`(
  select coalesce(json_agg(found), '[]') from (
    select s.issue_id as issue, 'parent' as kind, i.repository_id as repository, 1 as total,
      (i.state = 'open')::int as open, i.number
    from sub_issues s join issues i on i.id = s.parent_id where s.issue_id = ${issues}
    union all ${subIssues(issues)}
    union all ${blockedBy(issues)}
    union all ${blocking(issues)}
  ) as found)`;

type Counted = { kind: Related['kind']; table: 'sub_issues' | 'issue_dependencies'; of: string; other: string };

/** The rows of one relation for some issues. All but the issues is constant. */
function countedBy({ kind, table, of, other }: Counted): (issues: RawBuilder<unknown>) => RawBuilder<unknown> {
  const select = constantSql(sql`
    select r.${sql.ref(of)}, ${sql.lit(kind)}, i.repository_id, count(*), count(*) filter (where i.state = 'open'), null
    from ${sql.table(table)} r join issues i on i.id = r.${sql.ref(other)}
    where r.${sql.ref(of)} =`);
  const group = constantSql(sql`group by r.${sql.ref(of)}, i.repository_id`);
  return (issues) => sql`${select} ${issues} ${group}`;
}

const subIssues = countedBy({ kind: 'sub_issue', table: 'sub_issues', of: 'parent_id', other: 'issue_id' });
const blockedBy = countedBy({ kind: 'blocked_by', table: 'issue_dependencies', of: 'issue_id', other: 'blocking_id' });
const blocking = countedBy({ kind: 'blocking', table: 'issue_dependencies', of: 'blocking_id', other: 'issue_id' });

type Row = { id: Id<'issues'>; repository_id: RepositoryId };

/**
 * Presents the relations of issues. Issues of the same repository are shown to everybody who reads it; of other repositories,
 * which takes a statement for a whole page where there are any, those that the viewer may read.
 */
export async function relationsPresenter(
  { db, links, viewer }: Scope,
  rows: readonly Row[],
  relatedOf: (issue: Id<'issues'>) => readonly Related[],
  known: ReadonlyMap<RepositoryId, RepositoryWithOwner>,
): Promise<(row: Row) => Relations> {
  const foreign = rows.flatMap((row) =>
    relatedOf(row.id).flatMap(({ repository }) => (repository === row.repository_id ? [] : [repository])),
  );
  const readable = keyed(
    (await loadReadableNamedRepositories(db, viewer, foreign, 'issues')).filter(({ has_issues }) => has_issues),
    ({ id }) => id,
  );
  return (row) => {
    const repositoryOf = (id: RepositoryId) => (id === row.repository_id ? known.get(id) : readable.get(id));
    return presentRelations(links, relatedOf(row.id), repositoryOf);
  };
}

function presentRelations(
  links: Links,
  related: readonly Related[],
  repositoryOf: (id: RepositoryId) => RepositoryWithOwner | undefined,
): Relations {
  const counts = { sub_issue: { total: 0, open: 0 }, blocked_by: { total: 0, open: 0 }, blocking: { total: 0, open: 0 } };
  let parent_issue_url: string | null = null;
  for (const { kind, repository: id, total, open, number } of related) {
    const repository = repositoryOf(id);
    if (!repository) continue;
    if (kind === 'parent') parent_issue_url = path(`${repositoryUrl(links, repository)}/issues`, number ?? 0);
    else counts[kind] = { total: counts[kind].total + total, open: counts[kind].open + open };
  }
  const { sub_issue, blocked_by, blocking } = counts;
  const completed = sub_issue.total - sub_issue.open;
  return {
    sub_issues_summary: {
      total: sub_issue.total,
      completed,
      percent_completed: sub_issue.total === 0 ? 0 : Math.floor((completed * 100) / sub_issue.total),
    },
    parent_issue_url,
    issue_dependencies_summary: {
      blocked_by: blocked_by.open,
      total_blocked_by: blocked_by.total,
      blocking: blocking.open,
      total_blocking: blocking.total,
    },
  };
}
