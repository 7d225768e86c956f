import { type Kysely, sql, type Transaction } from 'kysely';
import { TimeBudgetExceeded } from '#database/client.ts';
import type { Db } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import { withTimeBudget } from '#database/time-budget.ts';
import type { Budget } from './result.ts';

/** A connection, or a transaction with a time budget. */
export type Reader = Kysely<DB>;

/**
 * Runs the statements of a search in a transaction until the budget ends; undefined when it has ended. Sequential scans are turned
 * off, since PostgreSQL underestimates the cost of reading the lexemes of each row.
 */
export async function runWithinBudget<T>(
  db: Db,
  budget: Budget,
  work: (tx: Transaction<DB>) => Promise<T>,
): Promise<T | undefined> {
  const remaining = budget.left();
  if (remaining < 1) return undefined;
  try {
    return await withTimeBudget(db, { milliseconds: remaining, acquireSlot: budget.acquireSlot }, async (tx) => {
      await sql`select set_config('enable_seqscan', 'off', true), set_config('work_mem', '32MB', true),
        set_config('hash_mem_multiplier', '1', true)`.execute(tx);
      return work(tx);
    });
  } catch (error) {
    if (error instanceof TimeBudgetExceeded) return undefined;
    throw error;
  }
}

/**
 * Makes PostgreSQL plan the following statements for their actual parameters. Earlier statements of the transaction use cached
 * plans.
 */
export async function planForWords(tx: Reader): Promise<void> {
  await sql`select set_config('plan_cache_mode', 'force_custom_plan', true)`.execute(tx);
}
