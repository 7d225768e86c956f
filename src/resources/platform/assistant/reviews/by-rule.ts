// Reviews that rulesets have the assistant make. The author of the pull request is who requests them: the author's seat and
// budgets count.
import type { RepositoryAction } from '#access/action.ts';
import { findRepoById } from '#access/lookup.ts';
import type { JobContext } from '#endpoint/job-context.ts';
import { batchSubscription } from '#events/subscription.ts';
import { branchRef } from '#git/refs/ref-name.ts';
import { enqueueAll, job } from '#jobs/job.ts';
import type { Id } from '#lib/id.ts';
import { Refusal } from '#lib/refusal.ts';
import { type AssistantReviewParameters, findAssistantReview, type RuleEvaluators } from '#resources/code/ref-rules/index.ts';
import { findPullForUpdate, loadPulls, type PullRow, requestReviewers } from '#resources/collaboration/pulls/index.ts';
import { loadAccounts } from '#resources/identity/accounts/index.ts';
import { assistantLogin } from '#resources/repositories/apps/index.ts';
import { wasRequested } from './store.ts';
import { lostAccessOf } from './subject.ts';

/** The rule asks for reviews, and refuses no move. */
export const assistantEvaluators = {
  assistant_code_review: { kinds: [], needs: 'names', isSilent: true, violation: () => undefined },
} as const satisfies Partial<RuleEvaluators>;

const changes = [
  'pull_request.opened',
  'pull_request.ready_for_review',
  'pull_request.synchronize',
  'pull_request.edited',
] as const;

type Payload = { readonly issue: Id<'issues'>; readonly isPush: boolean };

/** Queues what rulesets may demand of the assistant. Servers without one send no statement. */
export const followPulls = batchSubscription<(typeof changes)[number], JobContext>({
  name: 'assistant.follow-pulls',
  on: changes,
  attempts: 10,
  async runAll(events, { services, change }) {
    if (!services.assistantServer) return;
    const entries = events.flatMap((event) => {
      if (event.kind === 'pull_request.edited' && event.data.changes.base === undefined) return [];
      return [{ payload: { issue: event.data.issue, isPush: event.kind === 'pull_request.synchronize' } }];
    });
    if (entries.length > 0) await change(({ tx }) => enqueueAll(tx, requestByRule, entries));
  },
});

/** Requests the review of a pull request that rulesets demand. */
export const requestByRule = job<Payload, JobContext>({
  name: 'assistant.request-by-rule',
  attempts: 10,
  async run({ issue, isPush }, context) {
    const { db } = context;
    const pull = (await loadPulls(db, [issue])).get(issue);
    if (!pull || pull.state === 'closed' || pull.author_id === null) return;
    const action = await authorAction(context, pull, pull.author_id);
    const rule = action && (await findAssistantReview(db, action.repo, branchRef(pull.base_ref)));
    if (action && rule) await requestReview(context, action, pull, { rule, isPush });
  },
});

/** The author's action in the repository; undefined if the author can't read it any more. */
async function authorAction(
  { db, now }: JobContext,
  pull: PullRow,
  author: Id<'accounts'>,
): Promise<RepositoryAction | undefined> {
  const account = (await loadAccounts(db, [author])).get(author);
  const by = account && { account, grant: { kind: 'none' } as const };
  const repo = by && (await findRepoById(db, by, pull.repository_id));
  return repo && (await lostAccessOf(db, repo, author)) === undefined ? { repo, by, now } : undefined;
}

type Demand = { readonly rule: AssistantReviewParameters; readonly isPush: boolean };

/** Requests a review: of each push where the rule says so, otherwise one of each pull request. */
async function requestReview(
  { change, log }: JobContext,
  action: RepositoryAction,
  { id }: PullRow,
  { rule, isPush }: Demand,
): Promise<void> {
  try {
    await change(async (scope) => {
      const pull = await findPullForUpdate(scope.tx, { id });
      if (!pull || pull.state === 'closed' || (pull.is_draft && rule.review_draft_pull_requests !== true)) return;
      const isDue = isPush ? rule.review_on_push === true : !(await wasRequested(scope.tx, id));
      if (isDue) await requestReviewers(scope, action, pull, { reviewers: [assistantLogin] });
    });
  } catch (error) {
    // The author has no seat, for example, or a budget is used up. The rule refuses nothing.
    if (!(error instanceof Refusal)) throw error;
    log.info({ pull: id, reason: error.message }, 'a review by the assistant that a ruleset demands was not requested');
  }
}
