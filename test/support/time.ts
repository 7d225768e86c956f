import { sql } from 'kysely';
import { expect } from 'vitest';
import type { Db } from '#database/connect.ts';

/** The processor time of this thread for `work`, in milliseconds. Other work of the machine doesn't count, however busy it is. */
export function computing(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/**
 * Runs `work`, and measures this thread's processor time in the longest turn of the event loop, in milliseconds. Garbage is
 * collected before, so that it isn't part of a turn.
 */
export async function longestTurn<T>(work: () => Promise<T>): Promise<{ result: T; longest: number }> {
  globalThis.gc?.();
  let longest = 0;
  let isOver = false;
  let before = process.threadCpuUsage();
  const look = (): void => {
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, (user + system) / 1_000);
    before = process.threadCpuUsage();
    if (!isOver) setImmediate(look);
  };
  await new Promise<void>((resolve) => setImmediate(resolve));
  before = process.threadCpuUsage();
  setImmediate(look);
  try {
    const result = await work();
    look();
    return { result, longest };
  } finally {
    isOver = true;
  }
}

/**
 * Runs `work`, and requires that it can finish within this many milliseconds. Slow code is slow each time. On a busy machine, it
 * gets two more attempts.
 */
export async function inGoodTime<T>(milliseconds: number, work: () => Promise<T>): Promise<T> {
  const times: number[] = [];
  for (;;) {
    const start = performance.now();
    const result = await work();
    times.push(performance.now() - start);
    if (times.length === 3 || Math.min(...times) < milliseconds) {
      expect(Math.min(...times), `milliseconds of ${times.length} tries`).toBeLessThan(milliseconds);
      return result;
    }
  }
}

/** Waits until a statement that contains this text waits for a lock, using `isLocked`. */
export async function waitsForLock(db: Db, text: string): Promise<void> {
  await expect.poll(() => isLocked(db, text)).toBe(true);
}

/**
 * Whether a statement that contains this text is waiting for a lock. `db` is the worker's, or another one that requests don't
 * share. Otherwise this query could queue behind the waiting statement.
 */
export async function isLocked(db: Db, text = ''): Promise<boolean> {
  const { rows } = await sql`select from pg_stat_activity where datname = current_database()
    and wait_event_type = 'Lock' and position(${text} in query) > 0 limit 1`.execute(db);
  return rows.length > 0;
}
