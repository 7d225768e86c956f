/** Milliseconds of work after which the event loop runs. */
const maxBlockingMs = 10;

/** When the present turn of the event loop began, as far as a computation has asked for it. */
let turnStart: number | undefined;

/** All computations of one turn share its time, so that many short ones after each other hold it no longer than a long one does. */
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

/** Continues the computations that wait, the one that has waited longest first. */
const waiting: (() => void)[] = [];

function continueOne(): void {
  endTurn();
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
  startOfTurn();
  return () => (performance.now() - startOfTurn() < maxBlockingMs ? undefined : nextTurn());
}
