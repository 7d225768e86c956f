import type { Kysely, Transaction } from 'kysely';
import { type Gate, makeGate } from '#lib/gate.ts';
import { type Deadline, deadlines, TimeBudgetExceeded } from './client.ts';
import type { DB } from './tables.ts';

/** Reads with a time budget may be slow. Together they take this share of the connections, so that others find one. */
const shareOfReads = 0.5;
const gates = new WeakMap<Kysely<DB>, Gate>();

/** Keeps reads with a time budget to their share of a database's connections. */
export const limitReads = (db: Kysely<DB>, connections: number): void => {
  gates.set(db, makeGate(Math.max(1, Math.floor(connections * shareOfReads))));
};

/** PostgreSQL's code of a statement that was stopped. */
const canceled = '57014';

/**
 * Runs reads within a number of milliseconds, which PostgreSQL itself enforces. It is for all statements together, and includes
 * the wait for a connection.
 */
export async function withTimeBudget<T>(
  db: Kysely<DB>,
  milliseconds: number,
  work: (tx: Transaction<DB>) => Promise<T>,
): Promise<T> {
  const deadline: Deadline = { until: performance.now() + milliseconds, told: Number.NEGATIVE_INFINITY };
  const gate = gates.get(db);
  const leave = await gate?.enter(milliseconds);
  if (gate && !leave) throw new TimeBudgetExceeded();
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
    .finally(() => leave?.());
  // A connection that is found too late goes back at its first statement, and nobody waits for that.
  reading.catch(() => undefined);
  try {
    return await Promise.race([reading, tooLate]);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === canceled) throw new TimeBudgetExceeded();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
