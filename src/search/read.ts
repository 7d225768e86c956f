import type { Kysely, Transaction } from 'kysely';
import { TimeBudgetExceeded } from '#database/client.ts';
import type { Db } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import { setForNextStatements, withTimeBudget } from '#database/time-budget.ts';
import type { Budget } from './result.ts';

/** A connection, or a transaction with a time budget. */
export type Reader = Kysely<DB>;

const settings = [
  'set local enable_seqscan = off',
  "set local work_mem = '32MB'",
  'set local hash_mem_multiplier = 1',
  'set local plan_cache_mode = force_generic_plan',
];

/**
 * Runs the statements of a search in a transaction until the budget ends; undefined when it has ended. Sequential scans are
 * disabled, since PostgreSQL underestimates the cost of reading the lexemes of each row. Plans are cached, unless `planForWords`
 * is called.
 */
export async function runWithinBudget<T>(
  db: Db,
  budget: Budget,
  work: (tx: Transaction<DB>) => Promise<T>,
): Promise<T | undefined> {
  const remaining = budget.left();
  if (remaining < 1) return undefined;
  try {
    return await withTimeBudget(db, { milliseconds: remaining, acquireSlot: budget.acquireSlot, settings }, work);
  } catch (error) {
    if (error instanceof TimeBudgetExceeded) return undefined;
    throw error;
  }
}

/** Makes PostgreSQL plan the following statements for their actual parameters. */
export const planForWords = (): void => setForNextStatements('set local plan_cache_mode = force_custom_plan');

/** Makes PostgreSQL run the following statements without parallel workers, which don't keep the order of a union's branches. */
export const keepOrder = (): void => setForNextStatements('set local max_parallel_workers_per_gather = 0');
