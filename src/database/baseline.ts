import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';

/** `baseline.sql` has the tables of many migrations, for an empty database. */
export const baselineFile = join(import.meta.dirname, 'baseline.sql');

/** The baseline's statement that records the migrations it replaces. */
export const recording = 'insert into schema_migrations (version, name, checksum) values';

type Listed = { version: number; name: string; checksum: string };

/**
 * Reads the baseline with the migrations that it replaces. Undefined if one of them isn't in the list or has another text there:
 * then each migration is applied separately.
 */
export async function readBaseline<M extends Listed>(
  migrations: readonly M[],
): Promise<{ text: string; migrations: M[] } | undefined> {
  const text = await readFile(baselineFile, 'utf8');
  const [, list = ''] = text.split(recording);
  const recorded = new Set([...list.matchAll(/^ {2}(\(\d+, '\S+', '[\da-f]{64}'\))/gm)].map(([, row]) => row));
  const found = migrations.filter(({ version, name, checksum }) => recorded.has(`(${version}, '${name}', '${checksum}')`));
  return found.length > 0 && found.length === recorded.size ? { text, migrations: found } : undefined;
}

/** Whether the database is still empty. */
export async function isEmpty(client: pg.Client): Promise<boolean> {
  const { rowCount } = await client.query('select from pg_class where relnamespace = current_schema()::regnamespace limit 1');
  return rowCount === 0;
}
