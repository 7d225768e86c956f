// Conditions on pull requests that rows of the index don't answer, since what they ask for changes without the pull request.
import { type RawBuilder, sql } from 'kysely';
import type { Id } from '#lib/id.ts';

/** What a credential may need a permission of its own for. */
export type Readable = 'issues' | 'pulls' | 'statuses';

/** The searched repositories where the caller may not read it. */
export type Unreadable = Record<Readable, readonly Id<'repositories'>[]>;

export const outsideOf = (repositories: readonly Id<'repositories'>[]): RawBuilder<unknown> =>
  repositories.length === 0 ? sql`true` : sql`(not repository_id = any(${repositories}::bigint[]))`;

/**
 * Whether the row's issue is named by a pull request that says it closes it (`pr`), or the pull request names such an issue (`issue`).
 * Links between repositories aren't followed: the other end may be hidden from the caller.
 */
export const isLinked = (other: string, { issues, pulls }: Unreadable): RawBuilder<unknown> => {
  const column = other === 'pr' ? sql`t.target_issue_id` : sql`t.issue_id`;
  return sql`(${outsideOf(other === 'pr' ? pulls : issues)} and (issue_id in (
    select ${column} from text_references t
    join issues p on p.id = t.issue_id and p.is_pull_request
    join issues i on i.id = t.target_issue_id and not i.is_pull_request and i.repository_id = p.repository_id
    where t.closes and t.comment_id is null)) is true)`;
};

/**
 * Whether the statuses of the head commit of the row's pull request combine to this state. One that no status tells of has none.
 * What else tells the state of a commit, as check runs, belongs into `states`.
 */
export const hasStatus = (state: string, { statuses }: Unreadable): RawBuilder<unknown> => sql`(${outsideOf(statuses)} and (
  select case
      when bool_or(s.state in ('error', 'failure')) then 'failure'
      when bool_or(s.state = 'pending') then 'pending'
      when bool_and(s.state = 'success') then 'success' end
  from pull_requests p join ${states} on s.repository_id = p.repository_id and s.commit_sha = p.head_sha
  where p.issue_id = issue_documents.issue_id) = ${state})`;

const states = sql`(select repository_id, commit_sha, state from commit_statuses where is_latest) s`;
