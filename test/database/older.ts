import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { sql } from 'kysely';
import { onTestFinished } from 'vitest';
import { migrate } from '#database/migrate.ts';
import { testDatabase } from '#test/support/database.ts';

const migrations = join(import.meta.dirname, '../../src/database/migrations');

/** A copy of the folder of migrations, of those whose number is `wanted`. */
export async function copyOfMigrations(wanted: (version: number) => boolean = () => true): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hearth-migrations-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const isWanted = (name: string): boolean => !name.endsWith('.sql') || wanted(Number.parseInt(basename(name), 10));
  await cp(migrations, folder, { recursive: true, filter: isWanted });
  return folder;
}

/** A database without a table. */
export async function emptyDatabase() {
  const database = await testDatabase();
  onTestFinished(database.close);
  await sql`drop schema public cascade`.execute(database.db);
  await sql`drop schema jobs cascade`.execute(database.db);
  await sql`create schema public`.execute(database.db);
  return database;
}

/** A database as it was before the migration with this number. */
export async function databaseBefore(version: number) {
  const database = await emptyDatabase();
  await migrate(database.address, { folder: await copyOfMigrations((one) => one < version) });
  return database;
}
