import { addSeconds } from '#lib/time.ts';

const firstPause = 30;
const factor = 4;
const longestPause = 6 * 3600;

/** When a delivery is tried again after its nth attempt: 30 s, 2 min, 8 min … 6 h, each a little apart from others'. */
export function retryAt(now: Date, attempt: number, random: () => number): Date {
  const pause = Math.min(firstPause * factor ** (attempt - 1), longestPause);
  return addSeconds(now, pause * (0.9 + 0.2 * random()));
}

/** After so many failures in a row a hook's deliveries are held back. */
export const tolerated = 10;
/** Seconds of the first pause; each failure after it doubles it, up to the longest. */
export const breakerPause = 60;
export const longestBreakerPause = 3600;
