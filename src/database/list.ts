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
import { fixedValue } from '#lib/limits.ts';
import type { Listed, Page, Uncounted, Walked } from '#lib/page.ts';
import { badRequest } from '#lib/refusal.ts';
import type { Db } from './connect.ts';
import { listLimits } from './limits.ts';

/** Rows are counted up to this number, so that the time for counting is bounded. */
export const countLimit = 10_000;

/** Later rows can't be reached by pages, since PostgreSQL would read all rows before them. */
export const maxRows = fixedValue(listLimits.rows);

/**
 * One page of a query, and the total number of rows (up to 10,000). The first page takes one statement: the total is a column of
 * its rows. A later page is read with one extra row. If that row exists, there is a next page, and the total is counted unless
 * the page's position already exceeds the counted maximum. So the next page is always linked.
 * @param query its order ends with a column that is unique among its rows
 */
export async function list<DB, TB extends keyof DB, Row>(
  db: Db,
  query: SelectQueryBuilder<DB, TB, Row>,
  page: Page,
): Promise<Listed<Row>> {
  const counted = countOf(query);
  if (page.offset >= maxRows) return { rows: [], total: await totalOf(db, counted) };
  if (page.offset > 0) {
    const found = await bySortedIds(query, { limit: page.limit + 1, offset: page.offset }).execute();
    const reached = page.offset + found.length;
    const isLast = found.length > 0 && found.length <= page.limit;
    const rows = found.slice(0, page.limit);
    if (isLast) return { rows, total: reached };
    const isBeyondCount = found.length > 0 && reached > countLimit;
    return { rows, total: isBeyondCount ? Math.min(reached, maxRows) : await totalOf(db, counted) };
  }
  // No index has the order of a list of joined tables. All of its rows are sorted, which takes a third of the time if only ids
  // are sorted.
  const first = query.toOperationNode().joins ? bySortedIds(query, page) : query.limit(sql.lit(page.limit));
  const found = (await first.select(sql<number>`(${counted})`.as(totalColumn)).execute()) as (Row & { [totalColumn]: number })[];
  return { rows: found.map(({ [totalColumn]: _, ...row }) => row as Row), total: found[0]?.[totalColumn] ?? 0 };
}

/**
 * The rows of a query from an offset on. Earlier rows are skipped or sorted by only their key, which an index may contain alone,
 * and only the rows of the page are read in full. Skipping 90,000 issues takes a tenth of the time this way. The limit is a
 * literal, so that the planner knows how few rows are needed, even in a plan for all other parameter values.
 */
function bySortedIds<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  { limit, offset }: Pick<Page, 'limit' | 'offset'>,
): SelectQueryBuilder<DB, TB, Row> {
  const { from, orderBy, joins, groupBy } = query.toOperationNode();
  const last = orderBy?.items.at(-1)?.orderBy;
  const wanted = sql.lit(limit);
  // Computed tables, for example of sums, would be computed twice.
  if (!last || groupBy || !from?.froms.every(isTable)) return query.limit(wanted).offset(offset);
  const key = sql<number>`${{ toOperationNode: () => last }}`;
  const keys = query.clearSelect().select(key.as('key')).limit(wanted).offset(offset);
  // An id identifies a row on its own. A column that is only unique within the list, or a join, needs the query's conditions.
  const named = joins === undefined && isId(last) ? query.clearWhere() : query;
  return named.where(sql<boolean>`${key} = any (array(${keys}))`).limit(wanted);
}

const isTable = (node: OperationNode): boolean => TableNode.is(AliasNode.is(node) ? node.node : node);

const isId = (node: OperationNode): boolean =>
  ReferenceNode.is(node) && ColumnNode.is(node.column) && node.column.column.name === 'id';

const totalColumn = 'total of the list';

/** Counts the rows of a query, up to 10,000. */
const countOf = <DB, TB extends keyof DB, Row>(query: SelectQueryBuilder<DB, TB, Row>): RawBuilder<unknown> =>
  sql`select count(*) from (${query
    .clearSelect()
    .clearOrderBy()
    .limit(sql.lit(countLimit))
    .select(sql`1`.as('one'))}) as counted`;

async function totalOf(db: Db, counted: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ count: number }>`${counted}`.execute(db);
  return rows[0]?.count ?? 0;
}

/** The next rows of a query after one of them, ordered by a unique column, for reading all rows in batches. */
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

/** One page of a query by ids: the rows after the id `since`, ordered by `column`, which contains the rows' ids. */
export async function listSince<DB, TB extends keyof DB, Row extends { id: number }>(
  query: SelectQueryBuilder<DB, TB, Row>,
  column: string,
  { since = 0, limit }: Page,
): Promise<Uncounted<Row>> {
  const found = await listAfter(query, column, since, limit + 1);
  const rows = found.slice(0, limit);
  return { rows, next: found.length > limit ? rows.at(-1)?.id.toString() : undefined };
}

/** The order of a list with page numbers or cursors: by a column, if any, and then by id. */
type WalkOrder<Row> = {
  by?: {
    column: string | RawBuilder<unknown>;
    type: CursorType;
    of(row: Row): Date | string | number;
  };
  /** The column of the ids. */
  id: string;
  idOf(row: Row): number;
  direction: Direction;
};

/** PostgreSQL's types of the columns in cursors. */
type CursorType = 'timestamptz' | 'text' | 'integer';
type Direction = 'asc' | 'desc';

/** The order by the ids of a table, by the table's name in the query. */
export const orderById = (table: string, direction: Direction): WalkOrder<{ id: number }> => ({
  id: `${table}.id`,
  idOf: ({ id }) => id,
  direction,
});

/** The order by a column of a table that has ids. */
export const orderBy = <Column extends string, Type extends CursorType>(
  table: string,
  column: Column,
  type: Type,
  direction: Direction,
): WalkOrder<{ id: number } & Record<Column, CursorValue[Type]>> => ({
  ...orderById(table, direction),
  by: { column: `${table}.${column}`, type, of: (row) => row[column] },
});

type CursorValue = { timestamptz: Date; text: string; integer: number };

/**
 * One page of a query in an order, by its number, or before or after a cursor, which contains a row's position in the order.
 * Unless the page is uncounted, the total number of rows is counted up to 10,000.
 * @throws Refusal 400 if the cursor is invalid
 */
export async function listWalked<DB, TB extends keyof DB, Row>(
  db: Db,
  query: SelectQueryBuilder<DB, TB, Row>,
  order: WalkOrder<NoInfer<Row>>,
  page: Page,
): Promise<Walked<Row>> {
  const { before, after, limit } = page;
  const cursorOf = (row: Row | undefined) => row && writeCursor(order, row);
  if (before === undefined && after === undefined) {
    const numbered = inOrder(query, order, order.direction);
    const { rows, total, isLast } = page.isUncounted
      ? await listUncounted(numbered, page)
      : await listCounted(db, numbered, page);
    const previous = page.offset === 0 ? undefined : cursorOf(rows[0]);
    return { rows, total, next: isLast ? undefined : cursorOf(rows.at(-1)), previous };
  }
  const isBack = before !== undefined;
  const onward = isBack === (order.direction === 'desc') ? 'asc' : 'desc';
  const [found, total] = await Promise.all([
    inOrder(query.where(beyond(order, before ?? after ?? '', onward)), order, onward)
      .limit(sql.lit(limit + 1))
      .execute(),
    page.isUncounted ? 0 : totalOf(db, countOf(query)),
  ]);
  const hasMore = found.length > limit;
  const rows = isBack ? found.slice(0, limit).reverse() : found.slice(0, limit);
  return {
    rows,
    total,
    next: hasMore || isBack ? cursorOf(rows.at(-1)) : undefined,
    previous: hasMore || !isBack ? cursorOf(rows[0]) : undefined,
  };
}

type Numbered<Row> = Listed<Row> & { isLast: boolean };

async function listCounted<DB, TB extends keyof DB, Row>(
  db: Db,
  query: SelectQueryBuilder<DB, TB, Row>,
  page: Page,
): Promise<Numbered<Row>> {
  const { rows, total } = await list(db, query, page);
  return { rows, total, isLast: page.offset + rows.length >= total };
}

async function listUncounted<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  { limit, offset }: Page,
): Promise<Numbered<Row>> {
  if (offset >= maxRows) return { rows: [], total: 0, isLast: true };
  const found = await bySortedIds(query, { limit: limit + 1, offset }).execute();
  return { rows: found.slice(0, limit), total: 0, isLast: found.length <= limit };
}

function inOrder<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  { by, id }: WalkOrder<Row>,
  direction: Direction,
): SelectQueryBuilder<DB, TB, Row> {
  const first = by ? query.orderBy(by.column as RawBuilder<unknown>, direction) : query;
  return first.orderBy(id as never, direction);
}

/** The condition that a row comes after a cursor's position. */
function beyond<Row>({ by, id }: WalkOrder<Row>, cursor: string, onward: Direction): RawBuilder<boolean> {
  const position = readCursor(cursor, by?.type);
  const sign = sql.raw(onward === 'asc' ? '>' : '<');
  if (!by) return sql<boolean>`${sql.ref(id)} ${sign} ${position.id}::bigint`;
  const column = typeof by.column === 'string' ? sql.ref(by.column) : by.column;
  return sql<boolean>`(${column}, ${sql.ref(id)}) ${sign} (${position.value}::${sql.raw(by.type)}, ${position.id}::bigint)`;
}

function writeCursor<Row>({ by, idOf }: WalkOrder<Row>, row: Row): string {
  const value = by?.of(row);
  const position = [idOf(row), ...(value === undefined ? [] : [value instanceof Date ? value.getTime() : value])];
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

function readCursor(cursor: string, type: CursorType | undefined): { id: number; value?: unknown } {
  const [id, value, ...more] = positionOf(cursor);
  if (!isWithin(id, [0, Number.MAX_SAFE_INTEGER]) || more.length > 0 || !isCursorValue[type ?? 'none'](value))
    throw badRequest('Invalid cursor');
  return { id: id as number, value: type === 'timestamptz' ? new Date(value as number) : value };
}

const isWithin = (value: unknown, [least, most]: readonly [number, number]): boolean =>
  Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most;

/** The values that a cursor may contain besides an id. */
const isCursorValue = {
  none: (value: unknown) => value === undefined,
  // Milliseconds, within the range of both PostgreSQL and JavaScript.
  timestamptz: (value: unknown) => isWithin(value, [-62_000_000_000_000, 8_640_000_000_000_000]),
  integer: (value: unknown) => isWithin(value, [-(2 ** 31), 2 ** 31 - 1]),
  text: (value: unknown) => typeof value === 'string' && !value.includes('\0'),
} as const;

function positionOf(cursor: string): unknown[] {
  try {
    const position: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(position) ? position : [];
  } catch {
    return [];
  }
}

/** Transforms all rows of a list together. The total or the neighbouring pages stay unchanged. */
export const mapRows = async <A, B, Rest extends object>(
  listed: { rows: A[] } & Rest,
  transform: (rows: A[]) => B[] | Promise<B[]>,
): Promise<Omit<Rest, 'rows'> & { rows: B[] }> => ({
  ...listed,
  rows: await transform(listed.rows),
});

/** Transforms each row of a list. The total and the neighbouring pages stay unchanged. */
export const mapEach = <A, B, Rest extends object>(
  listed: { rows: A[] } & Rest,
  transform: (row: A) => B,
): Omit<Rest, 'rows'> & { rows: B[] } => ({
  ...listed,
  rows: listed.rows.map((row) => transform(row)),
});
