import { type RawBuilder, sql } from 'kysely';
import type { Tx } from './connect.ts';
import type { DB } from './tables.ts';

const batchSize = 5_000;

/**
 * Removes rows of a table that meet a condition, a bounded number for each call. Rows that a request is using are left for the
 * next call. Returns whether there may be more.
 */
export async function removeSome(tx: Tx, table: keyof DB, condition: RawBuilder<boolean>): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table)} where ctid = any (array(
      select ctid from ${sql.table(table)} where ${condition} limit ${batchSize} for update skip locked))`.execute(tx);
  return Number(numAffectedRows ?? 0) === batchSize;
}
