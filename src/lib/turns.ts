/** Milliseconds of work after which the event loop runs. */
const maxBlockingMs = 10;

/** Continues the computations that wait, the one that has waited longest first. */
const waiting: (() => void)[] = [];

function continueOne(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(continueOne);
}

/**
 * Waits until the event loop has run. It continues one computation each time it has run, so that many at once hold it no longer than one
 * does.
 */
export const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(continueOne);
  });

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
