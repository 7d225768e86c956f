import { addSeconds } from '#lib/time.ts';

const firstPause = 30;
const factor = 4;
const maxPause = 6 * 3600;

/** The time of the next attempt after the nth: after 30 s, 2 min, 8 min … 6 h, with 10 % of jitter. */
export function retryAt(now: Date, attempt: number, random: () => number): Date {
  const pause = Math.min(firstPause * factor ** (attempt - 1), maxPause);
  return addSeconds(now, pause * (0.9 + 0.2 * random()));
}

/** After this number of consecutive failures, a webhook is paused: its deliveries wait. */
export const maxConsecutiveFailures = 10;
/** Seconds of the first pause of a webhook. Each further failure doubles it, up to the maximum. */
export const firstHookPauseSeconds = 60;
export const maxHookPauseSeconds = 3600;
