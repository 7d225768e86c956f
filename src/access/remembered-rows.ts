import { type RawBuilder, sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Db } from '#database/connect.ts';

/** A statement's reply about rows: their present version, and the rows as JSON unless that version is remembered. */
export type Versioned<Json> = { version: string; rows: Json | null };

/** What is remembered under one key when a statement begins. */
export type Remembered<Json, Rows> = {
  /** Selects the columns of `Versioned`. `version` and `rows` are SQL of the version, and of the JSON. */
  columns(version: RawBuilder<string>, rows: RawBuilder<unknown>): RawBuilder<unknown>;
  /** The rows that the statement found. */
  rowsOf(read: Versioned<Json>): Rows;
};

/**
 * Remembers rows that nearly every request needs, the latest `max` of each database. Every statement still reads the present version
 * of the rows, and returns the rows themselves only where it is another one. So nothing is used that PostgreSQL hasn't just
 * confirmed, and no change needs to be announced to other processes (decision 22). Transactions remember nothing.
 *
 * @param revive makes rows of their JSON. Many requests share them: they must not be changed
 */
export function rememberRows<Json, Rows>(
  max: number,
  revive: (json: Json) => Rows,
): (db: Db, key: string) => Remembered<Json, Rows> {
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
      columns: (version, rows) =>
        sql`${version} as version, case when ${version} = ${known?.version ?? null} then null else ${rows} end as rows`,
      rowsOf(read) {
        if (read.rows === null) {
          if (!known) throw new Error('A statement returned no rows, and none are remembered');
          return known.rows;
        }
        const rows = revive(read.rows);
        memory?.set(key, { version: read.version, rows });
        return rows;
      },
    };
  };
}

/** The version of joined rows, by their ids and the transactions that wrote them; a dash stands for a row that is absent. */
export const versionOf = (...tables: readonly string[]): RawBuilder<string> =>
  sql`concat_ws(' ', ${sql.join(tables.map((table) => sql`coalesce(${sql.ref(`${table}.id`)}::text || ':' || ${sql.ref(`${table}.xmin`)}::text, '-')`))})`;
