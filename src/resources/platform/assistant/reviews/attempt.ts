// One attempt at a review by the assistant. Git and the server that writes reviews are asked outside of transactions. The
// transaction that writes the review reads again whether it may.
import type { JobContext } from '#endpoint/job-context.ts';
import type { Needs, WriteScope } from '#endpoint/scope.ts';
import { repoOf } from '#git/store.ts';
import { Refusal } from '#lib/refusal.ts';
import { askModelServer } from '#net/model-server.ts';
import { findPullForUpdate, loadPulls, type PullRow, removeReviewers } from '#resources/collaboration/pulls/index.ts';
import { createReview, prepareDraft } from '#resources/collaboration/reviews/index.ts';
import { addAssistantUsage } from '#resources/platform/billing/index.ts';
import { assistantLogin } from '#resources/repositories/apps/index.ts';
import { retryAt } from '#webhook-delivery/backoff.ts';
import { assistantReviewLimits } from '../limits.ts';
import { type ReadChanges, readPrompt } from './prompt.ts';
import { type ModelReview, readReview, reviewFormat, tokensOf } from './reply.ts';
import { type AssistantReviewRow, endReview, findLeasedForUpdate, postponeReview } from './store.ts';
import { assistantAction, findSubject, type Obstacle, type RequestedPull, type ReviewSubject } from './subject.ts';

/** Opens a context with the present time. */
type Open = () => JobContext;

/** Why an attempt failed: for the log, and for the readers of the pull request, who don't learn about the operator's network. */
type AttemptFailure = { readonly problem: string; readonly said: string; readonly canRetry: boolean };

const unusableReply = 'The reply of its server could not be used.';
const changedMeanwhile: AttemptFailure = {
  problem: 'the pull request changed while it was reviewed',
  said: 'The pull request changed while it was reviewed.',
  canRetry: true,
};

/** Makes an attempt. @throws the reason of `stopping` if the worker stops */
export async function attemptReview(open: Open, review: AssistantReviewRow, stopping: AbortSignal): Promise<void> {
  const { scope, services } = open();
  const { git, ownServers } = services;
  const limits = services.resourceLimits.of(assistantReviewLimits);
  if (review.attempts > limits.attempts) return reportInChange(open, review, 'This server ended while it tried to.');
  const found = await findSubject(scope, review, async (issue) => (await loadPulls(scope.db, [issue])).get(issue));
  if ('reason' in found) return endInChange(open, review);
  const { pull, server } = found;
  const prompt = await readPrompt(repoOf(git, pull.repository_id), pull, limits);
  if (prompt.patches.size === 0)
    return reportInChange(open, review, 'Its diff has no text that the assistant can read within its limits.');
  stopping.throwIfAborted();
  const answer = await askModelServer(
    { outbound: ownServers, url: completionsUrl(server.url), key: server.key, name: "The assistant's server" },
    {
      body: { model: server.model, messages: prompt.messages, response_format: reviewFormat },
      timeout: limits.replyTime,
      maxBytes: limits.reply,
      stopped: stopping,
    },
  );
  if ('failure' in answer)
    return fail(open, review, { problem: answer.failure, said: 'Its server gave no answer.', canRetry: answer.canRetry });
  await countTokens(open, found, review, await tokensOf(answer.reply));
  const written = await readReview(answer.reply, prompt, limits);
  if ('problem' in written) return fail(open, review, { problem: written.problem, said: unusableReply, canRetry: true });
  if (!(await post(open, review, { pull, written, read: prompt }))) await fail(open, review, changedMeanwhile);
}

const completionsUrl = (root: string): string => `${root.replace(/\/$/, '')}/chat/completions`;

/** An error of this server in an attempt. */
export const failByError = (open: Open, review: AssistantReviewRow, error: unknown): Promise<void> =>
  fail(open, review, {
    problem: error instanceof Error ? error.message : String(error),
    said: 'This server could not prepare or store the review.',
    canRetry: true,
  });

/** Postpones a review, or reports its failure after the last attempt. */
async function fail(open: Open, review: AssistantReviewRow, { problem, said, canRetry }: AttemptFailure): Promise<void> {
  const { db, log, now, services } = open();
  const { attempts } = services.resourceLimits.of(assistantReviewLimits);
  const isLast = !canRetry || review.attempts >= attempts;
  log.warn({ review: review.id, attempt: review.attempts, problem, isLast }, 'an attempt at a review by the assistant failed');
  if (isLast) return reportInChange(open, review, said, problem);
  await postponeReview(db, review, { problem, dueAt: retryAt(now, review.attempts, Math.random) });
}

/** Counts the tokens of an exchange, whatever becomes of the review. */
async function countTokens(open: Open, subject: ReviewSubject, { model }: AssistantReviewRow, tokens: number): Promise<void> {
  const { change, now } = open();
  await change((scope) =>
    addAssistantUsage(scope, { ...userOf(subject), model, sku: 'assistant_ai_credit', quantity: tokens }, now),
  );
}

/** Who uses the assistant, and in which repository. */
const userOf = ({ repo, requester }: ReviewSubject) => ({ organization: repo.owner_id, repository: repo, user: requester });

type Written = { readonly pull: PullRow; readonly written: ModelReview; readonly read: ReadChanges };

/** How often a review is prepared again after a push. */
const maxPreparations = 3;

/** Posts a review. Returns false if its commit or its lines aren't part of the pull request any more. */
async function post(open: Open, review: AssistantReviewRow, { pull: reviewed, written, read }: Written): Promise<boolean> {
  for (let preparation = 0; preparation < maxPreparations; preparation++) {
    const { scope, change } = open();
    const present = (await loadPulls(scope.db, [reviewed.id])).get(reviewed.id) ?? reviewed;
    try {
      const draft = await prepareDraft(scope, present, { commit_id: reviewed.head_sha, locations: written.comments });
      const body = bodyOf(written, read);
      await change(async (scope) => {
        const subject = await lockSubject(scope, review);
        if (!subject) return;
        if ('reason' in subject) return end(scope, review, subject);
        const comments = [...written.comments];
        await createReview(scope, assistantAction(scope, subject), subject.pull, draft, { body, event: 'COMMENT', comments });
        await endReview(scope.tx, review.id, { state: 'done', problem: null, now: scope.now }, subject.repo);
        const used = { ...userOf(subject), model: review.model, sku: 'assistant_premium_request', quantity: 1 } as const;
        await addAssistantUsage(scope, used, scope.now);
      });
      return true;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.kind !== 'conflict') return false;
    }
  }
  return false;
}

/** The text of a review, with what the assistant didn't read, and what isn't shown of its answer. */
function bodyOf({ summary, misplaced, surplus }: ModelReview, { binaryFiles, otherFiles }: ReadChanges): string {
  const unread = [
    ...(binaryFiles === 0 ? [] : [counted(binaryFiles, 'binary file')]),
    ...(otherFiles === 0 ? [] : [`${counted(otherFiles, 'file')} without a diff or beyond the limits`]),
  ];
  const notes = [
    ...(unread.length === 0 ? [] : [`Not reviewed: ${unread.join(', ')}.`]),
    ...(misplaced === 0 ? [] : [`Left out: ${counted(misplaced, 'comment')} on lines that the diff doesn't show.`]),
    ...(surplus === 0 ? [] : [`Left out: ${counted(surplus, 'comment')} beyond the limit.`]),
    'An assistant wrote this review. It can be wrong, and it approves nothing.',
  ];
  return `${summary}\n\n---\n${notes.join(' ')}`;
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Locks the pull request, then the review, as requests do; undefined if the review has ended. */
async function lockSubject(
  scope: WriteScope & Needs<'assistantServer'>,
  review: AssistantReviewRow,
): Promise<ReviewSubject | Obstacle | undefined> {
  const found = await findSubject(scope, review, (id) => findPullForUpdate(scope.tx, { id }));
  return (await findLeasedForUpdate(scope.tx, review)) ? found : undefined;
}

/** Ends a review that can't be written. If it could be now, its lease runs out, and it is attempted again. */
async function endInChange(open: Open, review: AssistantReviewRow): Promise<void> {
  await open().change(async (scope) => {
    const subject = await lockSubject(scope, review);
    if (subject && 'reason' in subject) await end(scope, review, subject);
  });
}

/** Ends a review with a review that says why. */
async function reportInChange(open: Open, review: AssistantReviewRow, said: string, problem = said): Promise<void> {
  await open().change(async (scope) => {
    const subject = await lockSubject(scope, review);
    if (!subject) return;
    if ('reason' in subject) return end(scope, review, subject);
    await report(scope, review, { subject, said, problem });
  });
}

async function end(scope: WriteScope, review: AssistantReviewRow, { reason, subject, isReported }: Obstacle): Promise<void> {
  if (subject && isReported) return report(scope, review, { subject, said: reason, problem: reason });
  if (subject) await removeReviewers(scope, assistantAction(scope, subject), subject.pull, { reviewers: [assistantLogin] });
  await endReview(scope.tx, review.id, { state: 'cancelled', problem: reason, now: scope.now });
}

async function report(
  scope: WriteScope,
  review: AssistantReviewRow,
  { subject, said, problem }: { subject: RequestedPull; said: string; problem: string },
): Promise<void> {
  const { pull } = subject;
  const draft = { commit: pull.head_sha, head_sha: pull.head_sha, merge_base_sha: pull.merge_base_sha, locations: [] };
  const body = `The assistant could not review this pull request. ${said}\n\nRequest its review again to repeat it.`;
  await createReview(scope, assistantAction(scope, subject), pull, draft, { body, event: 'COMMENT' });
  await endReview(scope.tx, review.id, { state: 'failed', problem, now: scope.now });
}
