import { type RawBuilder, sql } from 'kysely';
import type { Listed, Page } from '#lib/page.ts';
import type { Db } from './connect.ts';
import { countLimit, maxRows } from './list.ts';

/** Selections of the same columns that make one list, and its order. */
export type Merged = {
  /** Rows that an index holds in the list's order, with all of their columns: skipping most of a hundred thousand takes milliseconds. */
  indexed: RawBuilder<unknown>;
  /** The other rows of the list, in one selection or several. Those that come before the end of a page are read for it. */
  others: readonly RawBuilder<unknown>[];
  /** The columns of `order by`, in a selection from either. */
  order: RawBuilder<unknown>;
};

/**
 * One page of a list that is merged from rows in an index's order and a few others. At least as many indexed rows come before the page
 * as it lies further from the beginning than there are other rows. Those are skipped in the index, and only the rest is sorted.
 */
export async function listMerged<Row>(db: Db, { indexed, others, order }: Merged, page: Page): Promise<Listed<Row>> {
  if (page.offset >= maxRows) return { rows: [], total: await countMerged(db, indexed, others) };
  const first = others.map((some) => sql`(${some} order by ${order} limit ${page.offset + page.limit + 1})`);
  const { rows: found } = await sql<Row>`
    with others as materialized (${sql.join(first, sql` union all `)}), ahead as materialized (
      select greatest(${page.offset}::bigint - count(*), 0) as skipped, least(count(*), ${page.offset}::bigint) as mixed from others
    )
    select * from (
      (${indexed} order by ${order} offset (select skipped from ahead) limit ${page.limit + 1}::bigint + (select mixed from ahead))
      union all select * from others) as merged
    order by ${order} offset ${page.offset}::bigint - (select skipped from ahead) limit ${page.limit + 1}`.execute(db);
  const rows = found.slice(0, page.limit);
  if (found.length <= page.limit && (found.length > 0 || page.offset === 0)) return { rows, total: page.offset + rows.length };
  // There is at least one row more than counted, so that the page after this one is linked.
  return { rows, total: Math.max(await countMerged(db, indexed, others), page.offset + found.length) };
}

async function countMerged(db: Db, indexed: RawBuilder<unknown>, others: readonly RawBuilder<unknown>[]): Promise<number> {
  const all = sql.join([indexed, ...others], sql` union all `);
  const { rows } = await sql<{ total: number }>`
    select count(*) as total from (select from (${all}) as merged limit ${countLimit}) as counted`.execute(db);
  return rows[0]?.total ?? 0;
}
