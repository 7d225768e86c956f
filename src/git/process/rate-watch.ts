import { recentRate } from '#lib/recent-rate.ts';
import type { GitError } from '../errors.ts';
import type { GitLimits } from '../repo.ts';
import { exceeded } from './exceeded.ts';

/** Measures the rate of the other side of a transfer. */
type RateWatch = {
  /** The server starts to wait for the other side. */
  waiting(): void;
  /** This many bytes were transferred, and the wait is over. */
  moved(bytes: number): void;
  /**
   * The recent rate of the other side in bytes per second, while the server waits for it; undefined before
   * `git.transferContendedTime` of waiting.
   */
  rate(): number | undefined;
  /** Stops measuring. */
  close(): void;
};

/**
 * Calls `onSlow` if the other side transfers less than `git.transferRate` over `git.transferRateTime` of waiting for it. Time in
 * which git works isn't counted.
 */
export function rateWatch(limits: GitLimits, onSlow: (error: GitError) => void): RateWatch {
  const { transferRate, transferRateTime } = limits;
  const minBytes = (transferRate * transferRateTime) / 1_000;
  let waited = 0;
  let bytes = 0;
  let since: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isSlow = false;
  const recent = recentRate(limits.transferContendedTime);

  const startTimer = (): void => {
    since = performance.now();
    timer = setTimeout(checkRate, Math.max(0, transferRateTime - waited));
  };
  /** Returns the milliseconds of the completed wait. */
  const stopTimer = (): number => {
    clearTimeout(timer);
    const wait = since === undefined ? 0 : performance.now() - since;
    waited += wait;
    since = undefined;
    return wait;
  };
  const checkRate = (): void => {
    if (isSlow) return;
    if (bytes < minBytes) {
      isSlow = true;
      onSlow(exceeded(limits, 'transferRate', { kind: 'timeout', message: 'The transfer is too slow' }));
      return;
    }
    [waited, bytes] = [0, 0];
    if (since === undefined) return;
    recent.moved(0, performance.now() - since);
    startTimer();
  };
  return {
    waiting() {
      if (since === undefined) startTimer();
    },
    moved(count) {
      bytes += count;
      recent.moved(count, stopTimer());
      if (waited >= transferRateTime) checkRate();
    },
    rate: () => (since === undefined ? undefined : recent.during(performance.now() - since)),
    close: () => void stopTimer(),
  };
}
