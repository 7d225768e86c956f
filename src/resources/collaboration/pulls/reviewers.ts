// Requested reviewers of pull requests. A request ends with the reviewer's review.

import type { RepositoryAction } from '#access/action.ts';
import type { RepositoryRow } from '#access/viewer.ts';
import type { Needs, WriteScope } from '#endpoint/scope.ts';
import { recordEach } from '#events/record.ts';
import { grouped, unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { fixedValue } from '#lib/limits.ts';
import { invalid, unprocessable } from '#lib/refusal.ts';
import { findAssignable, insertIssueEvents, updateIssue, viaApp } from '#resources/collaboration/issues/index.ts';
import { findAccountsByLogin } from '#resources/identity/accounts/index.ts';
import { reviewerLimits } from './limits.ts';
import {
  addRequests,
  countRequests,
  dropRequests,
  dropRequestsOf,
  findRequestableTeams,
  loadEverRequested,
  type Reviewer,
  type Reviewers,
} from './reviewer-store.ts';
import type { NewReviewers, ReviewersToRemove } from './schemas.ts';
import { findPullForUpdate, type PullRow } from './store.ts';

const maxReviewers = fixedValue(reviewerLimits.requests);
const maxPerRequest = fixedValue(reviewerLimits.atOnce);

/** Who asks, and where. `actor` is undefined where nobody is known. */
type ReviewerAction = {
  repo: Pick<RepositoryRow, 'id' | 'owner_id'>;
  actor: Id<'accounts'> | undefined;
  app: Id<'apps'> | null;
  now: Date;
};

const actionOf = ({ repo, by, now }: RepositoryAction): ReviewerAction => ({
  repo,
  actor: by.account.id,
  app: viaApp(by),
  now,
});

/** Requests reviews from people, teams and the assistant. Existing requests stay. */
export async function requestReviewers(
  scope: WriteScope & Needs<'automaticReviewer'>,
  action: RepositoryAction,
  pull: PullRow,
  wanted: NewReviewers,
): Promise<PullRow> {
  const { automaticReviewer } = scope.services;
  const { reviewers: logins = [], team_reviewers = [] } = wanted;
  if (logins.length + team_reviewers.length === 0)
    throw invalid('PullRequest', 'reviewers', 'missing_field', 'reviewers or team_reviewers are needed');
  if (logins.length + team_reviewers.length > maxPerRequest)
    throw unprocessable(`At most ${maxPerRequest} people and teams can be asked for a review at once.`);
  const reviewers = logins.filter((login) => login.toLowerCase() !== automaticReviewer.login);
  const { users, teams } = await findReviewers(scope, action, pull, { reviewers, team_reviewers });
  const bot = reviewers.length < logins.length ? await automaticReviewer.admit(scope, action, pull) : undefined;
  const all = { users: bot === undefined ? users : [...users, bot], teams };
  const { added, total, pull: changed } = await addReviewers(scope, actionOf(action), pull, all);
  if (total > maxReviewers)
    throw unprocessable(`At most ${maxReviewers} people and teams can be asked to review a pull request.`);
  if (bot !== undefined && added.some(({ user_id }) => user_id === bot)) await automaticReviewer.enqueue(scope, action, pull);
  return changed;
}

/** The people and teams with these names. @throws Refusal 422 for the author, and for who may not read the repository */
async function findReviewers(
  scope: WriteScope,
  { repo, by }: RepositoryAction,
  pull: PullRow,
  { reviewers, team_reviewers }: Required<NewReviewers>,
): Promise<Reviewers> {
  const [users, teams] = [
    await findAssignable(scope.tx, repo, reviewers),
    await findRequestableTeams(scope.tx, by, repo, team_reviewers),
  ];
  if (users.some(({ id }) => id === pull.author_id)) throw unprocessable('Review cannot be requested from pull request author.');
  const namesOf = (names: readonly string[]) => new Set(names.map((name) => name.toLowerCase())).size;
  if (users.length < namesOf(reviewers) || teams.length < namesOf(team_reviewers))
    throw unprocessable(
      'Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a ' +
        `collaborator of the ${repo.owner.login}/${repo.name} repository.`,
    );
  return { users: unique(users.map(({ id }) => id)), teams: unique(teams.map(({ id }) => id)) };
}

/**
 * Asks for reviews, with the events of that. `total`: how many are asked now; 0 where nobody new is. The pull request is locked.
 */
async function addReviewers(
  scope: WriteScope,
  action: ReviewerAction,
  pull: PullRow,
  wanted: Reviewers,
): Promise<{ pull: PullRow; added: readonly Reviewer[]; total: number }> {
  const { added, total } = await addRequests(scope.tx, pull.id, wanted, action.now);
  return { pull: await recordEvents(scope, action, pull, 'review_requested', added), added, total };
}

/** Withdraws requests. People and teams without a request are ignored, as in the public API. */
export async function removeReviewers(
  scope: WriteScope,
  action: RepositoryAction,
  pull: PullRow,
  { reviewers, team_reviewers = [] }: ReviewersToRemove,
): Promise<PullRow> {
  const users = await findAccountsByLogin(scope.tx, reviewers);
  const teams = await findRequestableTeams(scope.tx, action.by, action.repo, team_reviewers);
  const wanted = { users: users.map(({ id }) => id), teams: teams.map(({ id }) => id) };
  return recordEvents(scope, actionOf(action), pull, 'review_request_removed', await dropRequests(scope.tx, pull.id, wanted));
}

/**
 * Ends the request to a person who has reviewed the pull request, and to the teams that this person is in. It is no event of its
 * own.
 */
export const withdrawRequest = async (scope: WriteScope, pull: Pick<PullRow, 'id'>, reviewer: Id<'accounts'>): Promise<void> => {
  await dropRequestsOf(scope.tx, pull.id, reviewer);
};

/**
 * Asks those for reviews who never were asked to review the pull request, its author apart, as far as there is room. Nothing
 * happens where it isn't open any more, or is a draft.
 */
export async function requestUnasked(
  scope: WriteScope,
  action: ReviewerAction,
  { id }: Pick<PullRow, 'id'>,
  wanted: Reviewers,
): Promise<void> {
  if (wanted.users.length + wanted.teams.length === 0) return;
  const pull = await findPullForUpdate(scope.tx, { id });
  if (!pull || pull.state === 'closed' || pull.is_draft) return;
  const [asked, present] = [await loadEverRequested(scope.tx, id), await countRequests(scope.tx, id)];
  const users = wanted.users.filter((user) => user !== pull.author_id && !asked.users.includes(user));
  const teams = wanted.teams.filter((team) => !asked.teams.includes(team));
  const room = Math.max(0, maxReviewers - present);
  const first = users.slice(0, room);
  await addReviewers(scope, action, pull, { users: first, teams: teams.slice(0, room - first.length) });
}

type ReviewerEvent = 'review_requested' | 'review_request_removed';

/** Records an event for each person and team, and in the conversation of the pull request. */
async function recordEvents(
  scope: WriteScope,
  action: ReviewerAction,
  pull: PullRow,
  verb: ReviewerEvent,
  reviewers: readonly Reviewer[],
): Promise<PullRow> {
  if (reviewers.length === 0) return pull;
  const { now } = action;
  await recordReviewers(
    scope,
    action,
    verb,
    reviewers.map((reviewer) => ({ ...reviewer, issue_id: pull.id })),
  );
  return pull.updated_at < now ? { ...pull, ...(await updateIssue(scope.tx, pull.id, { updated_at: now })) } : pull;
}

/** The events of requests to review one pull request or several of a repository. */
export async function recordReviewers(
  scope: WriteScope,
  { repo, actor, app, now }: ReviewerAction,
  verb: ReviewerEvent,
  requests: readonly (Reviewer & { issue_id: Id<'issues'> })[],
): Promise<void> {
  const event = { kind: `pull_request.${verb}`, owner: repo.owner_id, repository: repo.id, actor, at: now } as const;
  await recordEach(scope.tx, requests, ({ issue_id, user_id, team_id }) => ({
    ...event,
    data: { issue: issue_id, ...(user_id === null ? { team: team_id } : { user: user_id }) },
  }));
  for (const [issue, own] of grouped(requests, ({ issue_id }) => issue_id)) {
    const dataOf = ({ user_id, team_id }: Reviewer) =>
      user_id === null ? { requested_team: team_id } : { requested_reviewer: user_id };
    const context = { repository: repo.id, issue, actor: actor ?? null, app, at: now };
    await insertIssueEvents(
      scope.tx,
      context,
      own.map((reviewer) => ({ event: verb, data: dataOf(reviewer) })),
    );
  }
}
