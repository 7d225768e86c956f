import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#database/connect.ts';

/** The columns of a row, by name. */
export type Columns = Readonly<Record<string, unknown>>;

/**
 * A select of at most one row. One statement may run several (`joined`), so each has its own column names: columns of a table
 * have no dot in their names, and all others do (`column`).
 */
export type RowQuery<Row> = {
  readonly select: RawBuilder<unknown>;
  /** The row. It is undefined if all columns are null: nothing was found. */
  readonly read: (columns: Columns) => Row | undefined;
};

/** The name of a column that doesn't belong to a table: `column('token', 'version')`. */
export const column = (query: string, name: string): string => `${query}.${name}`;

/** A row of a table, as `select` selects it. */
export const tableRow = <Row>(select: RawBuilder<unknown>): RowQuery<Row> => ({
  select: sql`select true as ${sql.id(found)}, child.* from (${select}) as child`,
  read(columns) {
    if (columns[found] !== true) return undefined;
    const row: Record<string, unknown> = {};
    for (const name in columns) if (!name.includes('.')) row[name] = columns[name];
    return row as Row; // the columns of the select
  },
});

const found = column('child', 'found');

/**
 * Joins two queries into one. The second query reads the columns of the first one's row as columns of the table `above`. If the
 * first finds nothing, neither does the second.
 */
export const joined = <Above, Below>(
  above: RowQuery<Above>,
  below: RowQuery<Below>,
): RowQuery<{ above: Above; below: Below | undefined }> => ({
  select: sql`select * from (${above.select}) as above left join lateral (${below.select}) as below on true`,
  read(columns) {
    const row = above.read(columns);
    return row === undefined ? undefined : { above: row, below: below.read(columns) };
  },
});

/** The same query, with `make` applied to its row. */
export const mapped = <Row, Made>({ select, read }: RowQuery<Row>, make: (row: Row) => Made): RowQuery<Made> => ({
  select,
  read(columns) {
    const row = read(columns);
    return row === undefined ? undefined : make(row);
  },
});

export async function findRow<Row>(db: Db, { select, read }: RowQuery<Row>): Promise<Row | undefined> {
  const { rows } = await sql<Columns>`${select}`.execute(db);
  return rows[0] && read(rows[0]);
}
