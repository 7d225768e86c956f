import type { Kysely, Transaction } from 'kysely';
import type { Release } from '#lib/concurrency-limiter.ts';
import { type Deadline, deadlines, TimeBudgetExceeded } from './client.ts';
import { isStatementTimeout } from './connect.ts';
import type { DB } from './tables.ts';

/** Waits for a place among those who read, for so many milliseconds; undefined when there was none in that time. */
export type TakePlace = (milliseconds: number) => Promise<Release | undefined>;

/**
 * Runs reads within a number of milliseconds, which PostgreSQL itself enforces. It is for all statements together, and includes
 * the wait for a place and for a connection.
 */
export async function withTimeBudget<T>(
  db: Kysely<DB>,
  { milliseconds, takePlace }: { milliseconds: number; takePlace: TakePlace },
  work: (tx: Transaction<DB>) => Promise<T>,
): Promise<T> {
  const deadline: Deadline = { until: performance.now() + milliseconds, told: Number.NEGATIVE_INFINITY };
  const leave = await takePlace(milliseconds);
  if (!leave) throw new TimeBudgetExceeded();
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const giveUp = (): void => {
    deadline.until = 0; // a timer may come a little early: no statement is to fit into what would be left
    reject(new TimeBudgetExceeded());
  };
  const timer = setTimeout(giveUp, Math.max(1, deadline.until - performance.now()));
  const reading = deadlines
    .run(deadline, () =>
      db
        .transaction()
        .setAccessMode('read only')
        .execute((tx) => {
          clearTimeout(timer);
          return work(tx);
        }),
    )
    .finally(leave);
  // A connection that is found too late goes back at its first statement, and nobody waits for that.
  reading.catch(() => undefined);
  try {
    return await Promise.race([reading, tooLate]);
  } catch (error) {
    if (isStatementTimeout(error)) throw new TimeBudgetExceeded();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
