import { type JobContext, jobContext } from '#endpoint/job-context.ts';
import type { Services } from '#endpoint/services.ts';
import type { BackgroundLoop, BackgroundLoopContext } from '#jobs/background-loop.ts';
import type { Id } from '#lib/id.ts';
import { addSeconds } from '#lib/time.ts';
import { assistantReviewLimits } from '../limits.ts';
import { attemptReview, failByError } from './attempt.ts';
import { type AssistantReviewRow, leaseReviews, returnReview } from './store.ts';

/** The pause before the queue is read again, for retried reviews. New ones are signalled. */
const idleMs = 8_000;
/** What an attempt may take beside the reply of the server, before another process takes it over. */
const ownSeconds = 120;

/**
 * Writes the reviews that people requested from the assistant. They aren't in the job queue, since a slow server would occupy its
 * few slots. A process leases a review for a limited time. If it is killed, another one takes the review over, so that the server
 * may be asked twice, but no review is posted twice.
 */
export const reviewLoop: BackgroundLoop<Services> = {
  name: 'assistant.review',
  async run(context, stopping) {
    if (!context.services.assistantServer) return;
    const reviewer = openReviewer(context, stopping);
    while (!stopping.aborted) {
      await reviewer.take();
      await context.waits.next('assistant', idleMs);
    }
    await reviewer.finish();
  },
  async drain(context) {
    if (!context.services.assistantServer) return 0;
    const reviewer = openReviewer(context, new AbortController().signal);
    for (let total = 0; ; ) {
      const taken = await reviewer.take();
      if (taken === 0 && reviewer.running === 0) return total;
      total += taken;
      await reviewer.finish();
    }
  },
};

function openReviewer(context: BackgroundLoopContext<Services>, stopping: AbortSignal) {
  const { log, clock } = context;
  const { db, services } = context.interruptible ?? context;
  const limits = services.resourceLimits.of(assistantReviewLimits);
  const running = new Map<Id<'accounts'>, Promise<void>>();
  const fixed = { db, log, stopping };
  const open = (): JobContext => jobContext({ ...fixed, now: clock() }, services);

  const attempt = async (review: AssistantReviewRow): Promise<void> => {
    try {
      await attemptReview(open, review, stopping);
    } catch (error) {
      if (stopping.aborted) await returnReview(context.db, review, clock());
      else await failByError(open, review, error);
    }
  };

  const start = (review: AssistantReviewRow): void => {
    const work = attempt(review)
      .catch((error) => log.error({ err: error, review: review.id }, 'a review by the assistant failed to be recorded'))
      .finally(() => {
        running.delete(review.organization_id);
        context.waits.wake(['assistant']);
      });
    running.set(review.organization_id, work);
  };

  return {
    get running(): number {
      return running.size;
    },
    /** Leases due reviews and begins them. Returns their number. */
    async take(): Promise<number> {
      const limit = limits.concurrent - running.size;
      if (limit <= 0) return 0;
      const now = clock();
      const until = addSeconds(now, limits.replyTime / 1_000 + ownSeconds);
      try {
        const taken = await leaseReviews(db, { limit, busy: [...running.keys()], now, until });
        for (const review of taken) start(review);
        return taken.length;
      } catch (error) {
        // The database may be unavailable for a short time.
        log.warn({ err: error }, 'taking reviews for the assistant failed; trying again');
        return 0;
      }
    },
    async finish(): Promise<void> {
      await Promise.all(running.values());
    },
  };
}
