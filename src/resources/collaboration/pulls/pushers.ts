// Who pushed to the head of a pull request, as its row says it.
import { unique } from '#lib/collections.ts';

/** So many people are remembered. */
const maxPushers = 100;

export function recordedPushers(all: readonly number[], isIncomplete: boolean) {
  const pushers = unique([...all]);
  return {
    head_pushers: pushers.slice(0, maxPushers),
    has_unknown_pusher: isIncomplete || pushers.length > maxPushers,
  };
}
