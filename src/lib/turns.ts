import { setImmediate as nextTurn } from 'node:timers/promises';

/** Milliseconds of work after which others get their turn. */
const turn = 10;

/**
 * For long work in small steps: what this gives is to be awaited after each step, and lets other requests have their turn where the
 * present one has lasted for long enough.
 */
export function sharedTurns(): () => Promise<void> | undefined {
  let start = performance.now();
  return () => {
    if (performance.now() - start < turn) return undefined;
    return nextTurn().then(() => {
      start = performance.now();
    });
  };
}
