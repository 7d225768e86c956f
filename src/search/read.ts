import { type Kysely, sql, type Transaction } from 'kysely';
import { TimeBudgetExceeded } from '#database/client.ts';
import type { Db } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import { withTimeBudget } from '#database/time-budget.ts';
import type { Budget } from './result.ts';

/** What searches read with: a connection, or a transaction with a time budget. */
export type Reader = Kysely<DB>;

/**
 * Runs reads of a search for as long as the budget lasts; undefined when it is over. PostgreSQL plans none of them as reading
 * a whole table: it can't know how dear the lexemes of each row are.
 */
export async function within<T>(db: Db, budget: Budget, work: (tx: Transaction<DB>) => Promise<T>): Promise<T | undefined> {
  const left = budget.left();
  if (left < 1) return undefined;
  try {
    return await withTimeBudget(db, { milliseconds: left, takePlace: budget.takePlace }, async (tx) => {
      await sql`select set_config('enable_seqscan', 'off', true), set_config('work_mem', '32MB', true),
        set_config('hash_mem_multiplier', '1', true)`.execute(tx);
      return work(tx);
    });
  } catch (error) {
    if (error instanceof TimeBudgetExceeded) return undefined;
    throw error;
  }
}

/** Has PostgreSQL plan what follows for its own words. The plans of what came before are kept, which took longer to make. */
export async function planForWords(tx: Reader): Promise<void> {
  await sql`select set_config('plan_cache_mode', 'force_custom_plan', true)`.execute(tx);
}
