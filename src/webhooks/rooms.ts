import type { Room } from './deliveries.ts';

/** The number of deliveries that one process has under way at once. */
const mostAtOnce = 768;
const firstRoom = 8;
const mostForOne = 64;
/** The number of hooks whose room is remembered. */
const remembered = 256;

type Pace = { limit: number; running: number };

/**
 * Decides how many deliveries each hook may have under way: few at first, twice as many after each success, one after a failure.
 * So a receiver that hangs keeps one connection busy, and the others have theirs.
 */
export function openRooms() {
  const paces = new Map<number, Pace>();
  let running = 0;

  const paceOf = (hook: number): Pace => {
    const pace = paces.get(hook) ?? { limit: firstRoom, running: 0 };
    paces.set(hook, pace);
    return pace;
  };

  return {
    get running(): number {
      return running;
    },
    /** The room for further deliveries. */
    room(): Room {
      const known = new Map([...paces].map(([hook, pace]) => [hook, pace.limit - pace.running]));
      return { known, unknown: firstRoom, total: mostAtOnce - running };
    },
    begin(hook: number): void {
      running++;
      paceOf(hook).running++;
    },
    end(hook: number, succeeded: boolean): void {
      running--;
      const pace = paceOf(hook);
      pace.running--;
      pace.limit = succeeded ? Math.min(pace.limit * 2, mostForOne) : 1;
      if (pace.running === 0 && paces.size > remembered) paces.delete(hook);
    },
  };
}
