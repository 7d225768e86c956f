import { type RawBuilder, sql } from 'kysely';
import { organizationKnownTo, teamVisibleTo } from '#access/sql.ts';
import { everybody, type RepositoryRow, type Viewer } from '#access/viewer.ts';
import type { Db, Tx } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import { assignableTo } from '#resources/collaboration/issues/index.ts';
import type { TeamRow } from '#resources/identity/teams/index.ts';

type Issue = Id<'issues'>;
type User = Id<'accounts'>;
type Team = Id<'teams'>;

/** A requested reviewer: a person, or a team. */
export type Reviewer = { user_id: User; team_id: null } | { user_id: null; team_id: Team };

/** People and teams by their ids. */
export type Reviewers = { readonly users: readonly User[]; readonly teams: readonly Team[] };

/** A request for a review of the pull request of an issue. */
export type ReviewRequest = Reviewer & { issue_id: Issue };

/** The requested reviewers of pull requests, in the order of the requests. Teams that the viewer may not see are left out. */
export async function loadRequests(db: Db, viewer: Viewer, issues: readonly Issue[]): Promise<ReviewRequest[]> {
  if (issues.length === 0) return [];
  const isSeen = viewer === everybody ? sql`true` : sql`(q.team_id is null or ${visibleTo(viewer)})`;
  const { rows } = await sql<ReviewRequest>`
    select q.issue_id, q.user_id, q.team_id from review_requests q left join teams t on t.id = q.team_id
    where q.issue_id = any (${[...issues]}::bigint[]) and ${isSeen} order by q.id`.execute(db);
  return rows;
}

const visibleTo = (viewer: Viewer): RawBuilder<boolean> =>
  sql<boolean>`(${organizationKnownTo(viewer.grant, sql`t.organization_id`)} and ${teamVisibleTo(viewer, 't')})`;

/** Whether the team in the row `t` has a role of this level or above in a repository, by itself or by a team above it. */
export const teamReaches = (repository: RawBuilder<unknown>, level: number): RawBuilder<boolean> => sql<boolean>`exists (
  select from team_repositories tr
  where tr.repository_id = ${repository} and tr.team_id = any (t.ancestors) and role_level(tr.role) >= ${level})`;

/** The teams with these slugs, in any case, that may read the repository and that the viewer may see. */
export const findRequestableTeams = async (
  db: Db,
  viewer: Viewer,
  repo: RepositoryRow,
  slugs: readonly string[],
): Promise<TeamRow[]> =>
  slugs.length === 0
    ? []
    : db
        .selectFrom('teams as t')
        .selectAll('t')
        .where('t.organization_id', '=', repo.owner_id)
        .where(sql<boolean>`lower(t.slug) = any (${slugs.map((slug) => slug.toLowerCase())})`)
        .where(visibleTo(viewer))
        .where(teamReaches(sql`${repo.id}`, 1))
        .orderBy('t.id')
        .execute();

/** Requests reviews from people and teams. Returns the new reviewers, and the number of all requested ones. */
export async function addRequests(
  tx: Tx,
  issue: Issue,
  { users, teams }: Reviewers,
  now: Date,
): Promise<{ added: Reviewer[]; total: number }> {
  if (users.length + teams.length === 0) return { added: [], total: 0 };
  const { rows } = await sql<Reviewer & { before: number }>`
    with added as (
      insert into review_requests (issue_id, user_id, team_id, created_at)
      select ${issue}, w.user_id, w.team_id, ${now} from (
        select id as user_id, null as team_id, 1 as kind, place
          from unnest(${[...users]}::bigint[]) with ordinality as u (id, place)
        union all
        select null, id, 2, place from unnest(${[...teams]}::bigint[]) with ordinality as t (id, place)
      ) w order by w.kind, w.place
      on conflict do nothing returning id, user_id, team_id
    )
    select user_id, team_id, (select count(*) from review_requests where issue_id = ${issue}) as before
    from added order by id`.execute(tx);
  return { added: rows.map(({ before: _, ...reviewer }) => reviewer), total: (rows[0]?.before ?? 0) + rows.length };
}

/** Asks people and teams, as an archive tells, without events. */
export async function insertImportedRequests(tx: Tx, requests: readonly (ReviewRequest & { created_at: Date })[]): Promise<void> {
  if (requests.length === 0) return;
  const added = tx.insertInto('review_requests').values([...requests]);
  await added.onConflict((clash) => clash.doNothing()).execute();
}

/** The number of requested reviewers of a pull request. */
export async function countRequests(db: Db, issue: Issue): Promise<number> {
  const query = db.selectFrom('review_requests').select(({ fn }) => fn.countAll<number>().as('count'));
  return (await query.where('issue_id', '=', issue).executeTakeFirstOrThrow()).count;
}

/** Withdraws requests. Returns those that there were. */
export async function dropRequests(tx: Tx, issue: Issue, { users, teams }: Reviewers): Promise<Reviewer[]> {
  if (users.length + teams.length === 0) return [];
  const { rows } = await sql<Reviewer>`
    delete from review_requests
    where issue_id = ${issue} and (user_id = any (${[...users]}::bigint[]) or team_id = any (${[...teams]}::bigint[]))
    returning user_id, team_id`.execute(tx);
  return rows;
}

/** Withdraws the requests to a person: by name, or as a member of a team or one of its child teams. */
export const dropRequestsOf = (tx: Tx, issue: Issue, user: User) =>
  sql`
    delete from review_requests
    where issue_id = ${issue} and (user_id = ${user} or team_id in (
      select unnest(t.ancestors) from team_members m join teams t on t.id = m.team_id where m.user_id = ${user}))`.execute(tx);

/** The people and teams among these that were ever requested to review a pull request. */
export async function loadEverRequested(db: Db, issue: Issue): Promise<Reviewers> {
  const { rows } = await sql<{ user: User | null; team: Team | null }>`
    select distinct (e.data ->> 'requested_reviewer')::bigint as user, (e.data ->> 'requested_team')::bigint as team
    from issue_events e where e.issue_id = ${issue} and e.event = 'review_requested'`.execute(db);
  return { users: rows.flatMap(({ user }) => user ?? []), teams: rows.flatMap(({ team }) => team ?? []) };
}

/** Requests withdrawn in one transaction. */
const batch = 200;

type Lost = { owner: User; repository: Id<'repositories'> | undefined };
type LostRequest = ReviewRequest & { repository_id: Id<'repositories'> };

/**
 * Withdraws requests to people and teams who have no role in the repository any more, a batch of them. All of an owner's are
 * looked at, since a request doesn't say which role allowed it. The assistant's bot needs no role: a seat of the requester allows
 * its review.
 */
export async function dropLostRequests(tx: Tx, { owner, repository }: Lost): Promise<LostRequest[]> {
  const here = repository === undefined ? sql`true` : sql`r.id = ${repository}`;
  const { rows } = await sql<LostRequest>`
    delete from review_requests gone using (
      select q.id, i.repository_id from review_requests q
      join issues i on i.id = q.issue_id join repositories r on r.id = i.repository_id
      left join accounts on accounts.id = q.user_id left join teams t on t.id = q.team_id
      where r.owner_id = ${owner} and ${here} and not case
        when accounts.kind = 'bot' then true
        when q.user_id is not null then ${assignableTo(sql`r`)}
        else t.organization_id = r.owner_id and ${teamReaches(sql`r.id`, 1)} end
      order by q.id limit ${batch}
    ) lost
    where gone.id = lost.id returning gone.issue_id, gone.user_id, gone.team_id, lost.repository_id`.execute(tx);
  return rows;
}
