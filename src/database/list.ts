import type { SelectQueryBuilder } from 'kysely';
import { sql } from 'kysely';
import { fixedValue, limitTable } from '#lib/limits.ts';
import type { Listed, Page } from '#lib/page.ts';
import type { Db } from './connect.ts';

/** Rows are counted up to this number, so that counting doesn't get slower with the table. */
const countLimit = 10_000;

/** Rows beyond this number aren't reached: PostgreSQL would walk over all that come before them. */
const furthest = fixedValue(limitTable.lists.rows);

/**
 * One page of a query, and how many rows there are in all (up to 10,000). The first statement takes the page and one row
 * more; the second, which counts, is sent only when the first doesn't tell the total.
 */
export async function list<DB, TB extends keyof DB, Row>(
  db: Db,
  query: SelectQueryBuilder<DB, TB, Row>,
  page: Page,
): Promise<Listed<Row>> {
  const isReached = page.offset < furthest;
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

/** A list with its rows turned into something else; total and cursor stay. */
export const mapRows = async <A, B>(listed: Listed<A>, turn: (rows: A[]) => B[] | Promise<B[]>): Promise<Listed<B>> => ({
  ...listed,
  rows: await turn(listed.rows),
});

/** The same row by row, where nothing has to be loaded for them. */
export const mapEach = <A, B>(listed: Listed<A>, turn: (row: A) => B): Listed<B> => ({
  ...listed,
  rows: listed.rows.map((row) => turn(row)),
});
