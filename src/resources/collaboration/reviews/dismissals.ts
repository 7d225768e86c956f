// Approvals and wishes for changes are taken out of force: by somebody, or by a push that makes approvals stale.

import type { RepositoryAction } from '#access/action.ts';
import { roleLevel } from '#access/roles.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { recordAll } from '#events/record.ts';
import { inRepository } from '#events/scope.ts';
import type { Id } from '#lib/id.ts';
import { forbidden, unprocessable } from '#lib/refusal.ts';
import { type ActorFacts, type RuledRepository, rolesById } from '#resources/code/rulesets/index.ts';
import { insertIssueEvents, updateIssue, viaApp } from '#resources/collaboration/issues/index.ts';
import type { PullRow } from '#resources/collaboration/pulls/index.ts';
import { presentHeads } from './merge-rules.ts';
import { loadReviewRules, type ReviewParameters } from './review-rules.ts';
import { dismissReviews, listApprovalsOfOthers, type ReviewRow } from './store.ts';

type AllowedActor = NonNullable<NonNullable<ReviewParameters['dismissal_restriction']>['allowed_actors']>[number];

function isMeant({ type, id }: AllowedActor, { account, teams, app, level }: ActorFacts): boolean {
  if (type === 'User') return account === id;
  if (type === 'Team') return (teams as ReadonlySet<number>).has(id);
  if (type === 'IntegrationInstallation') return app === id;
  const role = rolesById.get(id);
  return role !== undefined && level >= roleLevel(role);
}

/** Where dismissing is restricted, administrators may, those who may always bypass the rule, and whom it names. */
async function checkMayDismiss(scope: WriteScope, { repo, by }: RepositoryAction, pull: PullRow): Promise<void> {
  const { byBase, facts } = await loadReviewRules(scope.tx, repo, [pull.base_ref], by.account.id);
  const wanted = byBase.get(pull.base_ref) ?? [];
  if (!facts || facts.isOwner || facts.level >= roleLevel('admin')) return;
  const isRefused = wanted.some(
    ({ dismissal_restriction: restriction, bypass }) =>
      restriction?.enabled && bypass !== 'always' && !restriction.allowed_actors?.some((actor) => isMeant(actor, facts)),
  );
  if (isRefused) throw forbidden('You are not allowed to dismiss reviews of pull requests into this branch.');
}

/**
 * Takes a review's approval, or its wish for changes, out of force.
 * @throws Refusal 403 where rules leave that to others, 422 where the review is neither
 */
export async function dismissReview(
  scope: WriteScope,
  action: RepositoryAction,
  pull: PullRow,
  review: ReviewRow,
  message: string,
): Promise<ReviewRow> {
  const { by, now } = action;
  const { state } = review;
  await checkMayDismiss(scope, action, pull);
  if (state !== 'APPROVED' && state !== 'CHANGES_REQUESTED')
    throw unprocessable(`Can not dismiss a ${state.toLowerCase()} pull request review`);
  const about = { ...inRepository(action), actor: by.account.id, app: viaApp(by), at: now };
  const [row] = await dismiss(scope, about, pull, [review], { message, commit: review.commit_sha });
  if (!row) throw new Error('A review was not dismissed');
  return row;
}

/** So many approvals are dismissed in one transaction. */
const dismissalsPerBatch = 200;

/**
 * Dismisses approvals of changes that a pull request doesn't bring any more, where rules on its base want it. Returns whether
 * there may be more of them.
 */
export async function dismissStale(
  scope: WriteScope,
  { actor, at }: { actor: Id<'accounts'> | undefined; at: Date },
  repo: RuledRepository,
  pull: PullRow,
): Promise<boolean> {
  const stale = await listApprovalsOfOthers(scope.tx, pull.id, presentHeads(pull), dismissalsPerBatch);
  if (stale.length === 0) return false;
  const { byBase } = await loadReviewRules(scope.tx, repo, [pull.base_ref], undefined);
  if (!byBase.get(pull.base_ref)?.some(({ dismiss_stale_reviews_on_push }) => dismiss_stale_reviews_on_push)) return false;
  const about = { owner: repo.owner_id, repository: repo.id, actor, app: null, at };
  await dismiss(scope, about, pull, stale, { message: null, commit: pull.head_sha });
  return stale.length === dismissalsPerBatch;
}

type Scope = {
  owner: Id<'accounts'>;
  repository: Id<'repositories'>;
  actor: Id<'accounts'> | undefined;
  app: Id<'apps'> | null;
  at: Date;
};

/** Dismisses reviews, and tells of each. */
async function dismiss(
  scope: WriteScope,
  { app, ...event }: Scope,
  { id: issue }: Pick<PullRow, 'id'>,
  reviews: readonly ReviewRow[],
  { message, commit }: { message: string | null; commit: string },
): Promise<ReviewRow[]> {
  const { repository, actor = null, at } = event;
  const rows = await dismissReviews(
    scope.tx,
    reviews.map(({ id }) => id),
    at,
  );
  await insertIssueEvents(
    scope.tx,
    { repository, issue, actor, app, at },
    reviews.map(({ id, state }) => ({
      event: 'review_dismissed',
      data: {
        dismissed_review: {
          state: state === 'APPROVED' ? 'approved' : 'changes_requested',
          review_id: id,
          dismissal_message: message,
          dismissal_commit_id: commit,
        },
      },
    })),
  );
  await updateIssue(scope.tx, issue, { updated_at: at });
  await recordAll(
    scope.tx,
    reviews.map(({ id }) => ({ ...event, kind: 'pull_request_review.dismissed' as const, data: { issue, review: id } })),
  );
  return rows;
}
