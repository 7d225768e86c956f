/** Milliseconds of work after which the event loop runs. */
const maxBlockingMs = 10;

/** When the current turn of the event loop began, if a computation has requested it. */
let turnStart: number | undefined;

/** All computations of one turn share its time, so many short ones in sequence hold it no longer than one long computation. */
function startOfTurn(): number {
  if (turnStart === undefined) {
    turnStart = performance.now();
    setImmediate(endTurn);
  }
  return turnStart;
}

const endTurn = (): void => {
  turnStart = undefined;
};

/** The waiting computations, the longest waiting first. */
const waiting: (() => void)[] = [];

function continueOne(): void {
  endTurn();
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(continueOne);
}

/**
 * Waits until the event loop has run. Each run continues one computation, so many concurrent ones hold the event loop no longer
 * than one.
 */
export const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(continueOne);
  });

/**
 * For long computations in small steps: returns a function to call and await after each step. It yields to the event loop if the
 * computation has blocked it for long enough.
 */
export function periodicYield(): () => Promise<void> | undefined {
  startOfTurn();
  return () => (performance.now() - startOfTurn() < maxBlockingMs ? undefined : nextTurn());
}
