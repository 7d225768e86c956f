import { setImmediate as nextTurn } from 'node:timers/promises';

/** Milliseconds of work after which the event loop runs. */
const maxBlockingMs = 10;

/**
 * For long computations in small steps: returns a function to call and await after each step. It yields to the event loop where the
 * computation has blocked it for long enough.
 */
export function periodicYield(): () => Promise<void> | undefined {
  let start = performance.now();
  return () => {
    if (performance.now() - start < maxBlockingMs) return undefined;
    return nextTurn().then(() => {
      start = performance.now();
    });
  };
}
