import { sql } from 'kysely';
import { expect } from 'vitest';
import type { Db } from '#database/connect.ts';

/** Milliseconds that this thread computed for `work`. Other work of the machine doesn't count, however busy it is. */
export function computing(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/**
 * Does `work`, and measures how many milliseconds this thread computed in the longest turn of the event loop meanwhile. Garbage is
 * collected before, so that it is no part of a turn.
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
 * Does `work`, and demands that it can be done within so many milliseconds. What is slow is so each time; a machine that had
 * something else to do is given two more tries.
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

/** Waits until a statement that holds this text waits for a lock, asking as `isLocked` does. */
export async function waitsForLock(db: Db, text: string): Promise<void> {
  await expect.poll(() => isLocked(db, text)).toBe(true);
}

/**
 * Whether a statement that holds this text waits for a lock now. `db` is the worker's, or another that requests don't share: there, the
 * question could stand behind the very statement that waits.
 */
export async function isLocked(db: Db, text = ''): Promise<boolean> {
  const { rows } = await sql`select from pg_stat_activity where datname = current_database()
    and wait_event_type = 'Lock' and position(${text} in query) > 0 limit 1`.execute(db);
  return rows.length > 0;
}
