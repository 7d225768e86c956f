// The issues and pull requests that stand beside one on its page.
import { sql } from 'kysely';
import { readableRepositoryIds } from '#access/sql.ts';
import { path } from '#endpoint/links.ts';
import type { Scope } from '#endpoint/scope.ts';
import type { Id } from '#lib/id.ts';
import type { IssueRow } from '#resources/collaboration/issues/index.ts';
import type { ShownRelation } from './schemas.ts';

/** So many of each kind are shown. */
const most = 50;

type Row = Omit<ShownRelation, 'html_url' | 'repository'> & { owner: string; repo: string };

/**
 * The parent, the sub-issues and the dependencies of an issue, and the pull requests that close it or the issues that a pull
 * request closes, with the issues that some events name, in one statement.
 */
async function listRelated(
  { db, viewer }: Pick<Scope, 'db' | 'viewer'>,
  { id, repository_id }: IssueRow,
  events: readonly Id<'issue_events'>[],
): Promise<Row[]> {
  const readable = sql`(i.repository_id = ${repository_id}
    or (i.is_pull_request and i.repository_id in ${readableRepositoryIds(viewer, 'pull_requests')})
    or (not i.is_pull_request and i.repository_id in ${readableRepositoryIds(viewer, 'issues')}))`;
  const { rows } = await sql<Row>`
    with related as (
      select 'parent' as kind, parent_id as other, 0::bigint as position from sub_issues where issue_id = ${id}
      union all select 'sub_issue', issue_id, position from sub_issues where parent_id = ${id}
      union all select 'blocked_by', blocking_id, 0 from issue_dependencies where issue_id = ${id}
      union all select 'blocking', issue_id, 0 from issue_dependencies where blocking_id = ${id}
      union all select distinct 'closed_by', issue_id, 0 from text_references
        where target_issue_id = ${id} and closes and issue_id is not null and comment_id is null
      union all select distinct 'closes', target_issue_id, 0 from text_references
        where issue_id = ${id} and closes and target_issue_id is not null and comment_id is null
      union all select 'source', source_issue_id, id from issue_events
        where id = any (${[...events]}::bigint[]) and source_issue_id is not null
    ), ranked as (
      select r.kind, r.position, i.id, i.number, i.title, i.state, i.is_pull_request, i.is_draft,
        i.merged_at is not null as is_merged, o.login as owner, s.name as repo,
        row_number() over (partition by r.kind order by r.position, i.id) as rank
      from related r join issues i on i.id = r.other
        join repositories s on s.id = i.repository_id
          and (case when i.is_pull_request then s.has_pull_requests else s.has_issues end)
        join accounts o on o.id = s.owner_id
      where ${readable} and (r.kind <> 'closed_by' or i.is_pull_request)
        and (r.kind <> 'closes' or not i.is_pull_request)
    )
    select kind, case when kind = 'source' then position end as event_id, number,
      title, state, is_pull_request, is_draft, is_merged, owner, repo from ranked
    where rank <= ${most} or kind = 'source' order by kind, rank`.execute(db);
  return rows;
}

/** The same as they are shown. */
export async function presentRelations(
  scope: Scope,
  issue: IssueRow,
  events: readonly Id<'issue_events'>[],
): Promise<ShownRelation[]> {
  const { links } = scope;
  const rows = await listRelated(scope, issue, events);
  return rows.map(({ owner, repo, ...row }) => ({
    ...row,
    repository: `${owner}/${repo}`,
    html_url: path(links.html, owner, repo, row.is_pull_request ? 'pull' : 'issues', row.number),
  }));
}
