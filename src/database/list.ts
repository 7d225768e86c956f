import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import { fixedValue, limitTable } from '#lib/limits.ts';
import type { Listed, Page, Uncounted } from '#lib/page.ts';
import type { Db } from './connect.ts';

/** Rows are counted up to this number, so that the time for counting is bounded. */
export const countLimit = 10_000;

/** Later rows can't be reached by pages, since PostgreSQL would read all rows before them. */
export const maxRows = fixedValue(limitTable.lists.rows);

/**
 * One page of a query, and the total number of rows (up to 10,000). For the first page that is one statement: the total is a column of its
 * rows. A later page is read with one more row, and the rows before it are counted only if there is one: on the last page, the total
 * follows from what was read.
 */
export async function list<DB, TB extends keyof DB, Row>(
  db: Db,
  query: SelectQueryBuilder<DB, TB, Row>,
  page: Page,
): Promise<Listed<Row>> {
  const counted = sql`select count(*) from (${query
    .clearSelect()
    .clearOrderBy()
    .limit(sql.lit(countLimit))
    .select(sql`1`.as('one'))}) as counted`;
  if (page.offset >= maxRows) return { rows: [], total: await totalOf(db, counted) };
  if (page.offset > 0) {
    const found = await query
      .limit(sql.lit(page.limit + 1))
      .offset(page.offset)
      .execute();
    const isLast = found.length > 0 && found.length <= page.limit;
    return { rows: found.slice(0, page.limit), total: isLast ? page.offset + found.length : await totalOf(db, counted) };
  }
  // A limit that is part of the text tells the planner how few rows are wanted, though it plans for all other values at once.
  const found = (await query.select(sql<number>`(${counted})`.as(totalColumn)).limit(sql.lit(page.limit)).execute()) as (Row & {
    [totalColumn]: number;
  })[];
  return { rows: found.map(({ [totalColumn]: _, ...row }) => row as Row), total: found[0]?.[totalColumn] ?? 0 };
}

const totalColumn = 'total of the list';

async function totalOf(db: Db, counted: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ count: number }>`${counted}`.execute(db);
  return rows[0]?.count ?? 0;
}

/** The next rows of a query after one of them, in the order of a column that is unique among them: for reading all in batches. */
export const listAfter = <DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  column: string,
  after: number,
  limit: number,
): Promise<Row[]> =>
  query
    .where(sql<boolean>`${sql.ref(column)} > ${after}`)
    .orderBy(sql.ref(column))
    .limit(limit)
    .execute() as Promise<Row[]>;

/** One page of a query by ids: the rows after the id `since`, in the order of the `column`, which has the ids of the rows. */
export async function listSince<DB, TB extends keyof DB, Row extends { id: number }>(
  query: SelectQueryBuilder<DB, TB, Row>,
  column: string,
  { since = 0, limit }: Page,
): Promise<Uncounted<Row>> {
  const found = await listAfter(query, column, since, limit + 1);
  const rows = found.slice(0, limit);
  return { rows, next: found.length > limit ? rows.at(-1)?.id.toString() : undefined };
}

/** Transforms all rows of a list at once; the total stays. */
export const mapRows = async <A, B>(listed: Listed<A>, transform: (rows: A[]) => B[] | Promise<B[]>): Promise<Listed<B>> => ({
  ...listed,
  rows: await transform(listed.rows),
});

/** Transforms each row of a list; the total stays. */
export const mapEach = <A, B>(listed: Listed<A>, transform: (row: A) => B): Listed<B> => ({
  ...listed,
  rows: listed.rows.map((row) => transform(row)),
});
