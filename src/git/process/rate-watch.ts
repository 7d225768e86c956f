import type { GitError } from '../errors.ts';
import type { GitLimits } from '../repo.ts';
import { exceeded } from './exceeded.ts';

/** Watches how fast the other side of a transfer is. */
export type RateWatch = {
  /** From here on, the other side is waited for. */
  waiting(): void;
  /** So many bytes have moved; it is not waited for any more. */
  moved(bytes: number): void;
  /** Ends the watch. */
  close(): void;
};

/**
 * Calls `onSlow` where the other side moves fewer bytes than `git.transferRate` demands, over `git.transferRateTime` of waiting for it.
 * The time in which git works doesn't count, so that a client isn't blamed for it.
 */
export function rateWatch(limits: GitLimits, onSlow: (error: GitError) => void): RateWatch {
  const { transferRate, transferRateTime } = limits;
  const least = (transferRate * transferRateTime) / 1_000;
  let waited = 0;
  let bytes = 0;
  let since: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isSlow = false;

  const arm = (): void => {
    since = performance.now();
    timer = setTimeout(judge, Math.max(0, transferRateTime - waited));
  };
  const rest = (): void => {
    clearTimeout(timer);
    if (since !== undefined) waited += performance.now() - since;
    since = undefined;
  };
  const judge = (): void => {
    if (isSlow) return;
    if (bytes < least) {
      isSlow = true;
      onSlow(exceeded(limits, 'transferRate', { kind: 'timeout', message: 'The transfer is too slow' }));
      return;
    }
    [waited, bytes] = [0, 0];
    if (since !== undefined) arm();
  };
  return {
    waiting() {
      if (since === undefined) arm();
    },
    moved(count) {
      bytes += count;
      rest();
      if (waited >= transferRateTime) judge();
    },
    close: rest,
  };
}
