import type { LimitValues } from '#lib/limits.ts';
import type { deliveryLimits } from './limits.ts';
import type { Outcome } from './outcome.ts';

const hourMs = 3_600_000;

/**
 * Limits the stored bytes of replies from an owner's receivers in an hour. Beyond it, outcomes are stored without headers and
 * body.
 */
export function replyQuota({ repliesPerOwner }: LimitValues<typeof deliveryLimits>) {
  let bytesByOwner = new Map<number, number>();
  let windowEnds = 0;
  return (owner: number, outcome: Outcome, now: Date): Outcome => {
    if (now.getTime() >= windowEnds) {
      bytesByOwner = new Map();
      windowEnds = now.getTime() + hourMs;
    }
    const bytes = Buffer.byteLength(outcome.body ?? '') + Buffer.byteLength(JSON.stringify(outcome.headers ?? {}));
    const total = (bytesByOwner.get(owner) ?? 0) + bytes;
    if (total > repliesPerOwner) return { ...outcome, headers: null, body: null };
    bytesByOwner.set(owner, total);
    return outcome;
  };
}
