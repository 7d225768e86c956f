import type { Steps } from '#search/slices.ts';

/** The result of work that is done in steps, without a pause. */
export function finished<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
