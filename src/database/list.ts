import type { SelectQueryBuilder } from 'kysely';
import { sql } from 'kysely';
import { fixedValue, limitTable } from '#lib/limits.ts';
import type { Listed, Page } from '#lib/page.ts';
import type { Db } from './connect.ts';

/** Rows are counted up to this number, so that the time for counting is bounded. */
export const countLimit = 10_000;

/** Later rows can't be reached by pages, since PostgreSQL would read all rows before them. */
export const maxRows = fixedValue(limitTable.lists.rows);

/**
 * One page of a query, and the total number of rows (up to 10,000). The first statement reads the page and one more row; the second
 * one, which counts, is sent only where the total doesn't follow from that.
 */
export async function list<DB, TB extends keyof DB, Row>(
  db: Db,
  query: SelectQueryBuilder<DB, TB, Row>,
  page: Page,
): Promise<Listed<Row>> {
  const isReached = page.offset < maxRows;
  const found = isReached
    ? await query
        .limit(page.limit + 1)
        .offset(page.offset)
        .execute()
    : [];
  const rows = found.slice(0, page.limit);
  if (found.length <= page.limit && (found.length > 0 || page.offset === 0)) return { rows, total: page.offset + rows.length };
  const counted = query.clearSelect().clearOrderBy().limit(countLimit).offset(0).select(sql`1`.as('one'));
  const { rows: counts } = await sql<{ total: number }>`select count(*) as total from (${counted}) as counted`.execute(db);
  return { rows, total: counts[0]?.total ?? 0 };
}

/** Transforms all rows of a list at once; total and cursors stay. */
export const mapRows = async <A, B>(listed: Listed<A>, transform: (rows: A[]) => B[] | Promise<B[]>): Promise<Listed<B>> => ({
  ...listed,
  rows: await transform(listed.rows),
});

/** Transforms each row of a list; total and cursors stay. */
export const mapEach = <A, B>(listed: Listed<A>, transform: (row: A) => B): Listed<B> => ({
  ...listed,
  rows: listed.rows.map((row) => transform(row)),
});
