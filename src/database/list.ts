import {
  AliasNode,
  ColumnNode,
  type OperationNode,
  type RawBuilder,
  ReferenceNode,
  type SelectQueryBuilder,
  sql,
  TableNode,
} from 'kysely';
import { fixedValue, limitTable } from '#lib/limits.ts';
import type { Listed, ListedAfter, Page, Uncounted } from '#lib/page.ts';
import { badRequest } from '#lib/refusal.ts';
import type { Db } from './connect.ts';

/** Rows are counted up to this number, so that the time for counting is bounded. */
export const countLimit = 10_000;

/** Later rows can't be reached by pages, since PostgreSQL would read all rows before them. */
export const maxRows = fixedValue(limitTable.lists.rows);

/**
 * One page of a query, and the total number of rows (up to 10,000). For the first page that is one statement: the total is a column of its
 * rows. A later page is read with one more row, and the rows before it are counted only if there is one, and if its place doesn't tell
 * already that there are as many as are counted. So the page that follows is always linked.
 *
 * @param query its order ends with a column that is unique among its rows
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
    const found = await bySortedIds(query, { limit: page.limit + 1, offset: page.offset }).execute();
    const reached = page.offset + found.length;
    const isLast = found.length > 0 && found.length <= page.limit;
    const total = isLast || (found.length > 0 && reached > countLimit) ? reached : await totalOf(db, counted);
    return { rows: found.slice(0, page.limit), total };
  }
  // Of joined tables, no index has the order of the list. All of its rows are sorted, which takes a third of the time by ids alone.
  const first = query.toOperationNode().joins ? bySortedIds(query, page) : query.limit(sql.lit(page.limit));
  const found = (await first.select(sql<number>`(${counted})`.as(totalColumn)).execute()) as (Row & { [totalColumn]: number })[];
  return { rows: found.map(({ [totalColumn]: _, ...row }) => row as Row), total: found[0]?.[totalColumn] ?? 0 };
}

/**
 * The rows of a query from an offset on. What comes before them is skipped, or sorted, by what orders and names a row alone, which an index
 * may hold by itself, and only the rows of the page are read: to skip 90,000 issues takes a tenth of the time so. A limit that is part
 * of the text tells the planner how few rows are wanted, though it plans for all other values at once.
 */
function bySortedIds<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  { limit, offset }: Pick<Page, 'limit' | 'offset'>,
): SelectQueryBuilder<DB, TB, Row> {
  const { from, orderBy, joins, groupBy } = query.toOperationNode();
  const last = orderBy?.items.at(-1)?.orderBy;
  const wanted = sql.lit(limit);
  // What is computed, as a table of sums, would be so twice.
  if (!last || groupBy || !from?.froms.every(isTable)) return query.limit(wanted).offset(offset);
  const key = sql<number>`${{ toOperationNode: () => last }}`;
  const keys = query.clearSelect().select(key.as('key')).limit(wanted).offset(offset);
  // An id names a row whatever else holds of it. A column that is unique in the list alone, or a join, needs the query's conditions.
  const named = joins === undefined && isId(last) ? query.clearWhere() : query;
  return named.where(sql<boolean>`${key} = any (array(${keys}))`).limit(wanted);
}

const isTable = (node: OperationNode): boolean => TableNode.is(AliasNode.is(node) ? node.node : node);

const isId = (node: OperationNode): boolean =>
  ReferenceNode.is(node) && ColumnNode.is(node.column) && node.column.column.name === 'id';

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

/** The same, and how many rows the query has in all (up to 10,000). */
export async function listCountedSince<DB, TB extends keyof DB, Row extends { id: number }>(
  db: Db,
  query: SelectQueryBuilder<DB, TB, Row>,
  column: string,
  page: Page,
): Promise<ListedAfter<Row>> {
  const counted = sql`select count(*) from (${query
    .clearSelect()
    .limit(sql.lit(countLimit))
    .select(sql`1`.as('one'))}) as counted`;
  const [{ rows, next }, total] = await Promise.all([listSince(query, column, page), totalOf(db, counted)]);
  return { rows, next, total };
}

/** The order of a list that is walked in both directions: by a time, and where that is the same by ids. */
export type TimeOrder<Row> = {
  time: RawBuilder<Date>;
  id: RawBuilder<number>;
  direction: 'asc' | 'desc';
  timeOf(row: Row): Date;
};

/**
 * One page of a query in the order of a time: the first one, or the one before or after a cursor, which holds the time and the id of a row.
 * @throws Refusal 400 where the cursor isn't one
 */
export async function listAround<DB, TB extends keyof DB, Row extends { id: number }>(
  query: SelectQueryBuilder<DB, TB, Row>,
  { time, id, direction, timeOf }: TimeOrder<Row>,
  { limit, before, after }: Page,
): Promise<Uncounted<Row>> {
  const isBack = before !== undefined;
  const onward = isBack === (direction === 'desc') ? 'asc' : 'desc';
  const edge = readCursor(before ?? after);
  const sign = sql.raw(onward === 'asc' ? '>' : '<');
  const some = edge ? query.where(sql<boolean>`(${time}, ${id}) ${sign} (${edge.time}::timestamptz, ${edge.id}::bigint)`) : query;
  const found = await some
    .orderBy(time, onward)
    .orderBy(id, onward)
    .limit(sql.lit(limit + 1))
    .execute();
  const hasMore = found.length > limit;
  const rows = isBack ? found.slice(0, limit).reverse() : found.slice(0, limit);
  const cursorOf = (row: Row | undefined) => row && writeCursor({ time: timeOf(row), id: row.id });
  return {
    rows,
    next: hasMore || isBack ? cursorOf(rows.at(-1)) : undefined,
    previous: (isBack ? hasMore : edge) ? cursorOf(rows[0]) : undefined,
  };
}

type Edge = { time: Date; id: number };

const writeCursor = ({ time, id }: Edge): string => Buffer.from(`${time.getTime()}:${id}`).toString('base64url');

function readCursor(cursor: string | undefined): Edge | undefined {
  if (cursor === undefined) return undefined;
  const [, time, id] = /^(-?\d{1,15}):(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  const at = new Date(Number(time));
  if (id === undefined || Number.isNaN(at.getTime())) throw badRequest('Invalid cursor');
  return { time: at, id: Number(id) };
}

/** Transforms all rows of a list at once; the total stays, or the pages beside it. */
export const mapRows = async <A, B, Rest extends object>(
  listed: { rows: A[] } & Rest,
  transform: (rows: A[]) => B[] | Promise<B[]>,
): Promise<Omit<Rest, 'rows'> & { rows: B[] }> => ({
  ...listed,
  rows: await transform(listed.rows),
});

/** Transforms each row of a list; the total stays. */
export const mapEach = <A, B>(listed: Listed<A>, transform: (row: A) => B): Listed<B> => ({
  ...listed,
  rows: listed.rows.map((row) => transform(row)),
});
