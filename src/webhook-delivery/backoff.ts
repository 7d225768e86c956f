import { addSeconds } from '#lib/time.ts';

const firstPause = 30;
const factor = 4;
const longestPause = 6 * 3600;

/** When a delivery is tried again after its nth attempt: after 30 s, 2 min, 8 min … 6 h, plus some chance, so that retries spread. */
export function retryAt(now: Date, attempt: number, random: () => number): Date {
  const pause = Math.min(firstPause * factor ** (attempt - 1), longestPause);
  return addSeconds(now, pause * (0.9 + 0.2 * random()));
}

/** After this number of failures in a row, a hook is paused: its deliveries wait. */
export const tolerated = 10;
/** Seconds of the first pause of a hook. Each further failure doubles it, up to the longest. */
export const firstPauseSeconds = 60;
export const longestPauseSeconds = 3600;
