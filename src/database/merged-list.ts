import { type RawBuilder, sql } from 'kysely';
import type { Listed, Page } from '#lib/page.ts';
import type { Db } from './connect.ts';
import { countLimit, maxRows } from './list.ts';

/** Selections with the same columns that form one list, and its order. */
type Merged = {
  /**
   * Rows that an index holds in the list's order, with all of their columns. Skipping most of a hundred thousand takes
   * milliseconds.
   */
  indexed: RawBuilder<unknown>;
  /** The other rows of the list, in one selection or several. Those before the end of a page are read for it. */
  others: readonly RawBuilder<unknown>[];
  /** The columns of `order by`, valid in all selections. */
  order: RawBuilder<unknown>;
};

/**
 * One page of a list that merges rows in an index's order with a few others. If the page has the offset n and there are k other
 * rows, at least n - k indexed rows come before it. Those are skipped in the index, and only the rest is sorted.
 */
export async function listMerged<Row>(db: Db, { indexed, others, order }: Merged, page: Page): Promise<Listed<Row>> {
  const parts = [indexed, ...others];
  if (page.offset >= maxRows) return { rows: [], total: await countMerged(db, parts) };
  const { rows } = await sql<Row>`
    with others as materialized (${firstOf(others, order, page)}), ahead as materialized (
      select greatest(${page.offset}::bigint - count(*), 0) as skipped, least(count(*), ${page.offset}::bigint) as mixed
      from others
    )
    select * from (
      (${indexed} order by ${order}
        offset (select skipped from ahead) limit ${page.limit + 1}::bigint + (select mixed from ahead))
      union all select * from others) as merged
    order by ${order} offset ${page.offset}::bigint - (select skipped from ahead) limit ${page.limit + 1}`.execute(db);
  return pageOf(db, parts, rows, page);
}

/** Selections with the same columns, each with `created_at` and from an index in this order, oldest first. */
type MergedByTime = {
  /** Long selections that accept a further condition with `and`. */
  indexed: readonly RawBuilder<unknown>[];
  others: readonly RawBuilder<unknown>[];
  /** `created_at`, and the columns that order rows of the same time. */
  order: RawBuilder<unknown>;
};

/**
 * Like `listMerged`, for several long selections. Each one looks up the time at its share of the offset. Before the earliest of
 * these times there can't be more rows than the offset. They are counted in the indexes, and only the following rows are merged.
 */
export async function listMergedByTime<Row>(db: Db, { indexed, others, order }: MergedByTime, page: Page): Promise<Listed<Row>> {
  const parts = [...indexed, ...others];
  if (page.offset >= maxRows) return { rows: [], total: await countMerged(db, parts) };
  const times = indexed.map(
    (some) => sql`(select created_at from (${some} order by ${order} offset (select share from ahead) limit 1) as reached)`,
  );
  const earlier = indexed.map((some) => sql`(select count(*) from (${some} and created_at < (select at from pivot)) as earlier)`);
  const later = indexed.map(
    (some) => sql`(${some} and created_at >= (select at from pivot)
      order by ${order} limit ${page.offset + page.limit + 1}::bigint - (select total from skipped))`,
  );
  const { rows } = await sql<Row>`
    with others as materialized (${firstOf(others, order, page)}),
    ahead as materialized (
      select greatest(${page.offset}::bigint - count(*), 0) / ${indexed.length}::bigint as share from others),
    pivot as materialized (select coalesce(least(${sql.join(times)}), 'infinity') as at),
    skipped as materialized (select ${sql.join(earlier, sql` + `)} as total)
    select * from (${sql.join(later, sql` union all `)} union all select * from others) as merged
    order by ${order} offset ${page.offset}::bigint - (select total from skipped) limit ${page.limit + 1}`.execute(db);
  return pageOf(db, parts, rows, page);
}

/** The rows of selections that may come before the end of a page. */
function firstOf(some: readonly RawBuilder<unknown>[], order: RawBuilder<unknown>, { offset, limit }: Page): RawBuilder<unknown> {
  const first = some.map((selection) => sql`(${selection} order by ${order} limit ${offset + limit + 1})`);
  return sql.join(first, sql` union all `);
}

/** The page, from its rows and one extra row. */
async function pageOf<Row>(
  db: Db,
  parts: readonly RawBuilder<unknown>[],
  found: readonly Row[],
  page: Page,
): Promise<Listed<Row>> {
  const rows = found.slice(0, page.limit);
  if (found.length <= page.limit && (found.length > 0 || page.offset === 0)) return { rows, total: page.offset + rows.length };
  // At least one row more than counted exists, so the next page is linked, within the limit of pages.
  return { rows, total: Math.max(await countMerged(db, parts), Math.min(page.offset + found.length, maxRows)) };
}

async function countMerged(db: Db, parts: readonly RawBuilder<unknown>[]): Promise<number> {
  const all = sql.join(parts, sql` union all `);
  const { rows } = await sql<{ total: number }>`
    select count(*) as total from (select from (${all}) as merged limit ${countLimit}) as counted`.execute(db);
  return rows[0]?.total ?? 0;
}
