import type { ResourceLimits } from '#lib/limits.ts';
import type { Outcome } from './outcome.ts';

const hourMs = 3_600_000;

/**
 * Bounds the bytes of replies that are kept of one owner's receivers in an hour, since receivers choose how much they reply. Past
 * it, an outcome is kept without its headers and body.
 */
export function replyQuota({ repliesPerOwner }: ResourceLimits['webhooks']) {
  let kept = new Map<number, number>();
  let windowEnds = 0;
  return (owner: number, outcome: Outcome, now: Date): Outcome => {
    if (now.getTime() >= windowEnds) {
      kept = new Map();
      windowEnds = now.getTime() + hourMs;
    }
    const bytes = Buffer.byteLength(outcome.body ?? '') + Buffer.byteLength(JSON.stringify(outcome.headers ?? {}));
    const total = (kept.get(owner) ?? 0) + bytes;
    if (total > repliesPerOwner) return { ...outcome, headers: null, body: null };
    kept.set(owner, total);
    return outcome;
  };
}
