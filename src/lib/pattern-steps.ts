// The steps that matching patterns may take.
import { interpreterLimits } from './limits/interpreters.ts';
import { fixedValue } from './limits.ts';

/** The remaining number of steps, and the name of their limit. */
export type Steps = { left: number; readonly limit: string };

/**
 * The steps of one piece of work with patterns, for example of all patterns of a list with one path. Callers share them between
 * all that they match before the event loop runs.
 */
export const stepsOfWork = (): Steps => ({
  left: fixedValue(interpreterLimits.patternWorkSteps),
  limit: 'interpreters.patternWorkSteps',
});

/** The steps of all work for one push, merge or search, in turns. */
export const stepsOfAllWork = (): Steps => ({
  left: fixedValue(interpreterLimits.patternTotalSteps),
  limit: 'interpreters.patternTotalSteps',
});

/** Steps of some work, which are also counted among those of all. */
export function stepsWithin(all: Steps): Steps {
  const own = stepsOfWork();
  let left = Math.min(own.left, all.left);
  const limit = own.left <= all.left ? own.limit : all.limit;
  return {
    limit,
    get left() {
      return left;
    },
    set left(next) {
      all.left -= left - next;
      left = next;
    },
  };
}
