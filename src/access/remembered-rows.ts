import { type RawBuilder, sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Db } from '#database/connect.ts';
import { constantSql } from '#database/constant-sql.ts';
import { type Columns, column } from './row-query.ts';

/** The remembered state of one key when a statement begins. */
type Remembered<Rows> = {
  /** The rows as last read. They may be used only if `read` returns them again. */
  readonly known: Rows | undefined;
  /**
   * Selects the current version of rows, and the rows as JSON unless that version is remembered. `version` and `rows` are the SQL
   * expressions for both.
   */
  readonly columns: (version: RawBuilder<string>, rows: RawBuilder<unknown>) => RawBuilder<unknown>;
  /** The rows that the statement found; undefined if there are none. */
  readonly read: (columns: Columns) => Rows | undefined;
};

/**
 * Remembers rows that nearly every request needs, the latest `max` for each database. Every statement still reads the current
 * version of the rows, and returns the rows themselves only if the version differs. So PostgreSQL confirms everything that is
 * used, and changes need not be announced to other processes (decision 22). Transactions remember nothing.
 *
 * @param query names the columns of the statement, see `RowQuery`
 * @param revive makes rows from their JSON. Many requests share the rows, so they must not be changed
 */
export function rememberRows<Json, Rows>(
  max: number,
  query: string,
  revive: (json: Json) => Rows,
): (db: Db, key: string) => Remembered<Rows> {
  const versionColumn = column(query, 'version');
  const rowsColumn = column(query, 'rows');
  const asVersion = constantSql(sql`as ${sql.id(versionColumn)}`);
  const asRows = constantSql(sql`as ${sql.id(rowsColumn)}`);
  type Memory = LRUCache<string, { version: string; rows: Rows }>;
  const memories = new WeakMap<Db, Memory>();
  const memoryOf = (db: Db): Memory => {
    const known = memories.get(db);
    if (known) return known;
    const memory: Memory = new LRUCache({ max });
    memories.set(db, memory);
    return memory;
  };
  return (db, key) => {
    const memory = db.isTransaction ? undefined : memoryOf(db);
    const known = memory?.get(key);
    return {
      known: known?.rows,
      columns: (version, rows) => sql`${version} ${asVersion},
        case when ${version} = ${known?.version ?? null} then null else ${rows} end ${asRows}`,
      read(columns) {
        // Only the columns of `columns` have these names.
        const version = columns[versionColumn] as string | null;
        const json = columns[rowsColumn] as Json | null;
        if (version === null) return undefined;
        if (json === null) {
          if (!known) throw new Error('A statement returned no rows, and none are remembered');
          return known.rows;
        }
        const rows = revive(json);
        memory?.set(key, { version, rows });
        return rows;
      },
    };
  };
}

/** The version of joined rows: their ids and the transactions that wrote them, with a dash for an absent row. */
export const versionOf = (...tables: readonly string[]): RawBuilder<string> =>
  constantSql(
    sql`concat_ws(' ', ${sql.join(
      tables.map((table) => sql`coalesce(${sql.ref(`${table}.id`)}::text || ':' || ${sql.ref(`${table}.xmin`)}::text, '-')`),
    )})`,
  );
