// Conditions on pull requests that the index doesn't store, since their data changes independently of the pull request.
import { type RawBuilder, sql } from 'kysely';
import type { Id } from '#lib/id.ts';

/** The data that a credential may need a separate permission for. */
export type Readable = 'issues' | 'pulls' | 'statuses' | 'checks';

/** The searched repositories in which the caller may not read the data. */
export type Unreadable = Record<Readable, readonly Id<'repositories'>[]>;

export const outsideOf = (repositories: readonly Id<'repositories'>[]): RawBuilder<unknown> =>
  repositories.length === 0 ? sql`true` : sql`(not repository_id = any(${repositories}::bigint[]))`;

/**
 * Whether the row's issue is linked to a pull request that closes it (`pr`), or the row's pull request is linked to an issue that
 * it closes (`issue`). Links between repositories aren't followed, since the other end may be hidden from the caller.
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
 * Whether the statuses and check runs of the head commit of the row's pull request combine to this state. A commit without either
 * has no state. Data that the caller may not read doesn't count.
 */
export const hasStatus = (state: string, { statuses, checks }: Unreadable): RawBuilder<unknown> => sql`((
  select case
      when bool_or(s.state in ('error', 'failure')) then 'failure'
      when bool_or(s.state = 'pending') then 'pending'
      when bool_and(s.state = 'success') then 'success' end
  from pull_requests p cross join lateral (
    select c.state from commit_statuses c
    where c.repository_id = p.repository_id and c.commit_sha = p.head_sha and c.is_latest and ${outsideOf(statuses)}
    union all
    select case when c.conclusion in ('success', 'neutral', 'skipped') then 'success'
      when c.conclusion is null then 'pending' else 'failure' end
    from check_runs c
    where c.repository_id = p.repository_id and c.head_sha = p.head_sha and c.is_latest and ${outsideOf(checks)}) s
  where p.issue_id = issue_documents.issue_id) = ${state})`;

/**
 * The combined result of the reviews of the row's pull request. Each reviewer's latest review that approves or requests changes
 * counts. `required`: whether reviews that rules require are missing, which is stored for open pull requests.
 */
export function hasReview(choice: string): RawBuilder<unknown> {
  const latest = sql`(select distinct on (v.author_id) v.state from reviews v
    where v.issue_id = issue_documents.issue_id and v.state in ('APPROVED', 'CHANGES_REQUESTED', 'DISMISSED')
    order by v.author_id, v.submitted_at desc, v.id desc) as latest`;
  const has = (state: string) => sql`exists (select from ${latest} where latest.state = ${state})`;
  switch (choice) {
    case 'approved':
      return sql`(${has('APPROVED')} and not ${has('CHANGES_REQUESTED')})`;
    case 'changes_requested':
      return has('CHANGES_REQUESTED');
    case 'none':
      return sql`(not ${has('APPROVED')} and not ${has('CHANGES_REQUESTED')})`;
    case 'required':
      return sql`((select p.lacks_reviews from pull_requests p where p.issue_id = issue_documents.issue_id) is true)`;
    default:
      return sql`false`;
  }
}

/** Whether the account has submitted a review of the row's pull request. */
export const isReviewedBy = (account: Id<'accounts'>): RawBuilder<unknown> =>
  sql`(issue_id in (select v.issue_id from reviews v where v.author_id = ${account} and v.state <> 'PENDING') is true)`;

/** Whether a review is requested from the account: directly, or as a member of one of these teams. */
export const isAskedOf = (account: Id<'accounts'>, teams?: RawBuilder<unknown>): RawBuilder<unknown> => {
  const asMember = sql`select q.issue_id from review_requests q join teams t on t.id = q.team_id
    join team_members m on m.team_id = t.id and m.user_id = ${account} where ${teams ?? sql`false`}`;
  return sql`(issue_id in (select q.issue_id from review_requests q where q.user_id = ${account} union all ${asMember}) is true)`;
};

/** Whether a review is requested from a team, if the caller may see the team. */
export const isAskedOfTeam = (
  { organization, slug }: { organization: string; slug: string },
  teams: RawBuilder<unknown>,
): RawBuilder<unknown> =>
  sql`(issue_id in (select q.issue_id from review_requests q join teams t on t.id = q.team_id
    join accounts o on o.id = t.organization_id
    where lower(o.login) = lower(${organization}) and lower(t.slug) = lower(${slug}) and ${teams}) is true)`;
