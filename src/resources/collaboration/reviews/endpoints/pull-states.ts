// What lists of pull requests on pages show of checks and reviews.

import { sql } from 'kysely';
import { type Static, Type } from 'typebox';
import { readsPulls } from '#access/policies.ts';
import type { Db } from '#database/connect.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import type { RepositoryId } from '#lib/id.ts';
import { Nullable, OneOf } from '#lib/shape.ts';

const PullState = Type.Object({
  number: Type.Integer(),
  /** What the checks and statuses of the head say together; null where there are none. */
  checks: Nullable(OneOf(['success', 'failure', 'pending'])),
  review: Nullable(OneOf(['approved', 'changes_requested', 'required'])),
});
type PullState = Static<typeof PullState>;

/** The states of pull requests of a repository, in one statement. */
async function loadStates(db: Db, repository: RepositoryId, numbers: readonly number[]): Promise<PullState[]> {
  if (numbers.length === 0) return [];
  const { rows } = await sql<PullState>`
    select i.number,
      (select case when bool_or(c.state = 'failure') then 'failure' when bool_or(c.state = 'pending') then 'pending'
          when count(*) > 0 then 'success' end
        from (
          select case when state in ('error', 'failure') then 'failure' else state end as state from commit_statuses
            where repository_id = i.repository_id and commit_sha = p.head_sha and is_latest
          union all
          select case when conclusion is null then 'pending' when conclusion in ('success', 'neutral', 'skipped') then 'success'
            else 'failure' end
          from check_runs where repository_id = i.repository_id and head_sha = p.head_sha and is_latest) c) as checks,
      case when decided.wants_changes then 'changes_requested' when p.lacks_reviews then 'required'
        when decided.approved then 'approved' end as review
    from issues i join pull_requests p on p.issue_id = i.id cross join lateral (
      select bool_or(v.state = 'CHANGES_REQUESTED') as wants_changes, bool_or(v.state = 'APPROVED') as approved from (
        select distinct on (author_id) state from reviews
        where issue_id = i.id and author_id is distinct from i.author_id
          and state in ('APPROVED', 'CHANGES_REQUESTED', 'DISMISSED')
        order by author_id, submitted_at desc, id desc) v) decided
    where i.repository_id = ${repository} and i.number = any (${[...numbers]}::int[])`.execute(db);
  return rows;
}

export const listPullStates = endpoint({
  id: 'pulls/list-states',
  method: 'GET',
  path: '/repos/{owner}/{repo}/pull-states',
  summary: 'List the states of the checks and reviews of some pull requests',
  access: readsPulls,
  query: Type.Object({ numbers: Type.String({ pattern: '^([0-9]{1,9}(,[0-9]{1,9}){0,99})?$' }) }),
  replies: { 200: Type.Array(PullState) },
  async handle({ db, at, query: { numbers } }) {
    const wanted = numbers === '' ? [] : numbers.split(',').map(Number);
    return loadStates(db, at.repo.id, wanted);
  },
});
