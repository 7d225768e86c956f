import type { Transaction } from 'kysely';
import type { Release } from '#lib/concurrency-limiter.ts';
import { type Deadline, deadlines, TimeBudgetExceeded } from './client.ts';
import { type Db, isStatementTimeout, readTogether } from './connect.ts';
import type { DB } from './tables.ts';

/** Waits up to this many milliseconds for a slot; undefined if none became free. */
export type AcquireSlot = (milliseconds: number) => Promise<Release | undefined>;

type TimeBudget = {
  milliseconds: number;
  acquireSlot: AcquireSlot;
  /** Settings of the transaction: `set local …`. */
  settings?: readonly string[];
};

/**
 * Runs reads within a number of milliseconds, which PostgreSQL enforces. The limit applies to all statements together, and
 * includes the wait for a slot and for a connection. @throws TimeBudgetExceeded
 */
export async function withTimeBudget<T>(
  db: Db,
  { milliseconds, acquireSlot, settings = [] }: TimeBudget,
  work: (tx: Transaction<DB>) => Promise<T>,
): Promise<T> {
  const deadline: Deadline = {
    until: performance.now() + milliseconds,
    updatedAt: Number.NEGATIVE_INFINITY,
    before: [...settings],
    endsWithNext: false,
  };
  const release = await acquireSlot(milliseconds);
  if (!release) throw new TimeBudgetExceeded();
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const onTimeout = (): void => {
    deadline.until = 0; // timers may fire slightly early; no further statement may start
    reject(new TimeBudgetExceeded());
  };
  const timer = setTimeout(onTimeout, Math.max(1, deadline.until - performance.now()));
  const reading = deadlines
    .run(deadline, () =>
      readTogether(db, {}, (transaction) => {
        clearTimeout(timer);
        return work(transaction);
      }),
    )
    .finally(release);
  // A connection that becomes available after the timeout is released at its first statement. That error isn't awaited.
  reading.catch(() => undefined);
  try {
    return await Promise.race([reading, timeout]);
  } catch (error) {
    if (isStatementTimeout(error)) throw new TimeBudgetExceeded();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function currentDeadline(): Deadline {
  const deadline = deadlines.getStore();
  if (!deadline) throw new Error('Only a transaction with a time budget has settings of its own');
  return deadline;
}

/** Changes a setting (`set local …`) for the rest of the transaction with a time budget. It is sent with the next statement. */
export function setForNextStatements(setting: string): void {
  currentDeadline().before.push(setting);
}

/**
 * Ends the transaction with a time budget after its next statement. Both are sent together, and no other statement may follow.
 */
export function endWithNextStatement(): void {
  currentDeadline().endsWithNext = true;
}
