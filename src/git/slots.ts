/** Gives its place back; more than one call has no further effect. */
export type Release = () => void;

/** A counting lock: at most `size` holders, the others wait in the order in which they came. */
export type Slots = { take(): Promise<Release> /** Places that nobody holds. */; free(): number };

/** Makes a counting lock of `size` places. */
export function makeSlots(size: number): Slots {
  const waiting: (() => void)[] = [];
  let free = size;

  const releaseOnce = (): Release => {
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const next = waiting.shift();
      if (next) next();
      else free++;
    };
  };

  return {
    async take() {
      if (free > 0) free--;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      return releaseOnce();
    },
    free: () => free,
  };
}
