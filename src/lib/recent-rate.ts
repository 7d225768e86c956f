/** The state of a transfer at some time: bytes, and the milliseconds for which the server waited for the other side. */
type Mark = { bytes: number; waited: number };

/** Measures the rate of the other side of a transfer over the latest `window` to `2 * window` milliseconds of waiting for it. */
type RecentRate = {
  /** Records that this many bytes were transferred after a wait of this many milliseconds. */
  moved(bytes: number, waited: number): void;
  /**
   * Bytes per second, during a wait that has taken this many milliseconds; undefined until the waits have taken a whole window.
   */
  during(waiting: number): number | undefined;
};

export function recentRate(window: number): RecentRate {
  const now: Mark = { bytes: 0, waited: 0 };
  let older: Mark | undefined;
  let newer: Mark = { bytes: 0, waited: 0 };
  const roll = (waited: number): void => {
    if (waited - newer.waited < window) return;
    older = newer;
    newer = { bytes: now.bytes, waited };
  };
  return {
    moved(bytes, waited) {
      now.bytes += bytes;
      now.waited += waited;
      roll(now.waited);
    },
    during(waiting) {
      const waited = now.waited + waiting;
      roll(waited);
      return older && ((now.bytes - older.bytes) / (waited - older.waited)) * 1_000;
    },
  };
}
