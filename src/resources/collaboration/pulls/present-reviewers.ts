import type { Scope } from '#endpoint/scope.ts';
import { gather, getOptional, grouped, keyed } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { findAccountById, loadAccounts, presentUser, type User } from '#resources/identity/accounts/index.ts';
import { loadTeams, presentTeams, type Team } from '#resources/identity/teams/index.ts';
import { loadRequests } from './reviewer-store.ts';
import type { ReviewRequests } from './schemas.ts';

/** Requested reviewers by the issue of their pull request. */
type Requested = { usersOf(issue: Id<'issues'>): User[]; teamsOf(issue: Id<'issues'>): Team[] };

/** Loads the requested reviewers of the pull requests of a whole page. */
export async function loadRequested(scope: Scope, issues: readonly Id<'issues'>[]): Promise<Requested> {
  const { db, links, viewer } = scope;
  const requests = await loadRequests(db, viewer, issues);
  const [users, teams] = await Promise.all([
    loadAccounts(db, gather(requests, 'user_id')),
    loadTeams(db, gather(requests, 'team_id')),
  ]);
  const shown = keyed(await presentTeams(scope, [...teams.values()]), ({ id }) => id);
  const byIssue = grouped(requests, ({ issue_id }) => issue_id);
  const of = (issue: Id<'issues'>) => byIssue.get(issue) ?? [];
  return {
    usersOf: (issue) =>
      of(issue).flatMap(({ user_id }) => {
        const user = getOptional(users, user_id);
        return user ? presentUser(links, user) : [];
      }),
    teamsOf: (issue) => of(issue).flatMap(({ team_id }) => getOptional(shown, team_id as number | null) ?? []),
  };
}

/** The requested reviewers of one pull request. */
export async function presentRequests(scope: Scope, issue: Id<'issues'>): Promise<ReviewRequests> {
  const { usersOf, teamsOf } = await loadRequested(scope, [issue]);
  return { users: usersOf(issue), teams: teamsOf(issue) };
}

/** The person or team of an event, in its payload. */
export async function reviewerOf(
  { user, team }: { user?: Id<'accounts'>; team?: Id<'teams'> },
  scope: Scope,
): Promise<Record<string, unknown>> {
  const { db, links } = scope;
  if (user !== undefined) {
    const account = await findAccountById(db, user);
    return { requested_reviewer: account ? presentUser(links, account) : null };
  }
  const teams = await loadTeams(db, [team ?? null]);
  const [presented] = await presentTeams(scope, [...teams.values()]);
  return presented ? { requested_team: presented } : {};
}
