import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { sql } from 'kysely';
import { onTestFinished } from 'vitest';
import { migrate } from '#database/migrate.ts';
import { testDatabase } from '#test/support/database.ts';

const migrations = join(import.meta.dirname, '../../src/database/migrations');

/** A database as it was before the migration with this number. */
export async function databaseBefore(version: number) {
  const database = await testDatabase();
  onTestFinished(database.close);
  const folder = await mkdtemp(join(tmpdir(), 'hearth-migrations-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await cp(migrations, folder, { recursive: true, filter: (name) => !(Number.parseInt(basename(name), 10) >= version) });
  await sql`drop schema public cascade`.execute(database.db);
  await sql`drop schema jobs cascade`.execute(database.db);
  await sql`create schema public`.execute(database.db);
  await migrate(database.address, { folder });
  return database;
}
