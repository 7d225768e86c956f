import type { ViewerContext } from '#endpoint/context.ts';
import { grouped } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { findAccountById, presentUser, type User } from '#resources/accounts/index.ts';
import type { PayloadContext } from '#resources/event-kinds.ts';
import { loadTeams, presentTeams, type Team } from '#resources/teams/index.ts';
import { loadRequestedTeams, loadRequestedUsers, type TeamsSeenBy } from './reviewer-store.ts';
import type { ReviewRequests } from './schemas.ts';

/** Who is asked for reviews, by the issue of the pull request. */
export type Requested = { usersOf(issue: Id<'issues'>): User[]; teamsOf(issue: Id<'issues'>): Team[] };

/** Loads who is asked to review the pull requests of a whole page. */
export async function loadRequested(
  { db, links, viewer, teamsSeenBy = viewer }: ViewerContext & { teamsSeenBy?: TeamsSeenBy },
  issues: readonly Id<'issues'>[],
): Promise<Requested> {
  const [users, teams] = await Promise.all([loadRequestedUsers(db, issues), loadRequestedTeams(db, teamsSeenBy, issues)]);
  const presented = teams.length === 0 ? [] : await presentTeams({ db, links }, teams);
  const byIssue = {
    users: grouped(users, ({ issue_id }) => issue_id),
    teams: grouped(
      teams.map(({ issue_id }, at) => ({ issue_id, team: presented[at] })),
      ({ issue_id }) => issue_id,
    ),
  };
  return {
    usersOf: (issue) => (byIssue.users.get(issue) ?? []).map((user) => presentUser(links, user)),
    teamsOf: (issue) => (byIssue.teams.get(issue) ?? []).flatMap(({ team }) => team ?? []),
  };
}

/** Who is asked to review one pull request. */
export async function presentRequests(context: ViewerContext, issue: Id<'issues'>): Promise<ReviewRequests> {
  const { usersOf, teamsOf } = await loadRequested(context, [issue]);
  return { users: usersOf(issue), teams: teamsOf(issue) };
}

/** The person or team of an event, in its payload. */
export async function reviewerOf(
  { user, team }: { user?: Id<'accounts'>; team?: Id<'teams'> },
  { db, links }: PayloadContext,
): Promise<Record<string, unknown>> {
  if (user !== undefined) {
    const account = await findAccountById(db, user);
    return { requested_reviewer: account ? presentUser(links, account) : null };
  }
  const teams = await loadTeams(db, [team ?? null]);
  const [presented] = await presentTeams({ db, links }, [...teams.values()]);
  return presented ? { requested_team: presented } : {};
}
