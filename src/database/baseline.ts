import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';

/** `baseline.sql`: the tables of many migrations at once, for a database that has none. */
export const baselineFile = join(import.meta.dirname, 'baseline.sql');

/** The statement by which the baseline records the migrations that it stands for. */
export const recording = 'insert into schema_migrations (version, name, checksum) values';

type Listed = { version: number; name: string; checksum: string };

/**
 * The baseline with the migrations that it stands for. Undefined where one of them isn't among those given, or has another text
 * there: then each migration is applied by itself.
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

/** Whether the database has nothing of its own yet. */
export async function isEmpty(client: pg.Client): Promise<boolean> {
  const { rowCount } = await client.query('select from pg_class where relnamespace = current_schema()::regnamespace limit 1');
  return rowCount === 0;
}
