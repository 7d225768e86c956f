/** Lets a number of users in at once; others wait in line, first come first served. */
export type Gate = {
  /** Waits for a place for this long. Returns a function that frees the place, or undefined if the time was over. */
  enter(milliseconds: number): Promise<(() => void) | undefined>;
};

export function makeGate(places: number): Gate {
  let free = places;
  const line = new Set<(entered: boolean) => void>();
  const leave = (): void => {
    const [next] = line;
    if (!next) {
      free += 1;
      return;
    }
    line.delete(next);
    next(true);
  };
  return {
    async enter(milliseconds) {
      if (free > 0) {
        free -= 1;
        return leave;
      }
      const { promise, resolve } = Promise.withResolvers<boolean>();
      line.add(resolve);
      const timer = setTimeout(() => {
        // If it isn't in the line any more, it has just been let in.
        if (line.delete(resolve)) resolve(false);
      }, milliseconds);
      const entered = await promise;
      clearTimeout(timer);
      return entered ? leave : undefined;
    },
  };
}
