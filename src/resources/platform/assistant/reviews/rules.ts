// Who may have a pull request reviewed by the assistant. It is decided when a review is requested, and again before each step.
import type { RepositoryAction } from '#access/action.ts';
import type { RepositoryRow } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import { signalAfter } from '#database/work-signals.ts';
import type { Scope, WriteScope } from '#endpoint/scope.ts';
import type { Id } from '#lib/id.ts';
import { unprocessable } from '#lib/refusal.ts';
import { dayOf } from '#lib/time.ts';
import type { AutomaticReviewer, PullRow } from '#resources/collaboration/pulls/index.ts';
import { spentBudgetOf } from '#resources/platform/billing/index.ts';
import { assistantAppOf, assistantLogin } from '#resources/repositories/apps/index.ts';
import { findSeat } from '../seat-store.ts';
import type { AssistantServer } from './server.ts';
import { cancelQueued, countQueued, insertReviewRequest } from './store.ts';

type ReviewedRepository = Pick<RepositoryRow, 'id' | 'owner_id' | 'visibility' | 'is_private_fork'> & {
  readonly owner: { readonly kind: string; readonly login: string };
};

/** What is decided about: the assistant, a repository that would be sent to it, and who requested that. */
type WantedReview = {
  readonly server: AssistantServer;
  readonly repo: ReviewedRepository;
  readonly requester: Id<'accounts'>;
};

export const notAttached = 'No assistant is attached to this server.';

/** Why a repository isn't reviewed for somebody; undefined if it is. */
export async function refusalOf(
  { db, now }: Pick<Scope, 'db' | 'now'>,
  { server, repo, requester }: WantedReview,
): Promise<string | undefined> {
  if (repo.owner.kind !== 'organization')
    return 'The assistant reviews pull requests in repositories of organizations, whose members have seats.';
  if (repo.is_private_fork) return 'The private fork of a security advisory is not sent to an assistant.';
  if (repo.visibility !== 'public' && server.repositories !== 'all')
    return 'This server sends public repositories alone to its assistant.';
  const seat = await findSeat(db, { organization: repo.owner_id, today: dayOf(now) }, requester);
  return seat ? undefined : `A review by the assistant needs a seat in ${repo.owner.login}.`;
}

/** Why nothing more may be spent for a repository and a requester; undefined if it may. */
export const spentFor = (
  db: Db,
  { repo: { id: repository, owner_id: organization }, requester: user }: Pick<WantedReview, 'repo' | 'requester'>,
  now: Date,
): Promise<string | undefined> => spentBudgetOf(db, { organization, repository, user, product: 'assistant' }, now);

/** The reviewer that pull requests know the assistant by. */
export const assistantReviewer = (
  server: AssistantServer | undefined,
  { waiting }: { readonly waiting: number },
): AutomaticReviewer => ({
  login: assistantLogin,
  async admit(scope, { repo, by, now }, pull) {
    if (!server) throw unprocessable(notAttached);
    const refusal = await refusalOf(scope, { server, repo, requester: by.account.id });
    if (refusal !== undefined) throw unprocessable(refusal);
    if (pull.state === 'closed') throw unprocessable('The pull request is closed.');
    const spent = await spentFor(scope.tx, { repo, requester: by.account.id }, now);
    if (spent !== undefined) throw unprocessable(spent);
    if ((await countQueued(scope.tx, repo.owner_id)) >= waiting)
      throw unprocessable(`At most ${waiting} reviews by the assistant can wait in an organization.`);
    const { bot_id } = await assistantAppOf(scope.tx, now);
    if (bot_id === null) throw new Error('The assistant has no bot');
    return bot_id;
  },
  async enqueue(scope, action, pull) {
    if (server) await enqueueReview(scope, action, pull, server.model);
  },
});

async function enqueueReview(scope: WriteScope, action: RepositoryAction, pull: PullRow, model: string): Promise<void> {
  const { repo, by, now } = action;
  // A request that was withdrawn may still be queued.
  await cancelQueued(scope.tx, pull.id, { problem: 'The review was requested again.', now });
  await insertReviewRequest(scope.tx, {
    organization_id: repo.owner_id,
    repository_id: repo.id,
    repository_name: repo.name,
    issue_id: pull.id,
    requester_id: by.account.id,
    state: 'queued',
    due_at: now,
    model,
    created_at: now,
  });
  signalAfter(scope.tx, 'assistant');
}
