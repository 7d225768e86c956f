import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { baselineFile } from '#database/baseline.ts';
import { describeBaseline } from '#database/generate-baseline.ts';
import { describeTables } from '#database/generate-tables.ts';
import { migrate } from '#database/migrate.ts';
import { readCatalogue } from './catalogue.ts';
import { copyOfMigrations, databaseBefore, emptyDatabase } from './older.ts';

type Options = Parameters<typeof migrate>[1];

/** An empty database that was migrated, with the names that its log has. */
async function migrated(options: Options = {}) {
  const { address, db } = await emptyDatabase();
  const logged: string[] = [];
  const applied = await migrate(address, { ...options, onApplied: ({ name }) => logged.push(name) });
  return { address, db, logged, applied };
}

test('the baseline makes what all migrations make, and records them', async () => {
  const chain = await migrated({ baseline: 'off' });
  const atOnce = await migrated();
  expect(chain.logged.length).toBeGreaterThan(100);
  expect(atOnce.logged).toEqual(['baseline']);
  expect(atOnce.applied).toEqual(chain.applied);
  const [expected, actual] = [await readCatalogue(chain.db), await readCatalogue(atOnce.db)];
  for (const [kind, lines] of Object.entries(expected)) {
    expect(lines.length, kind).toBeGreaterThan(0);
    expect(actual[kind], `${kind}: mend src/database/generate-baseline.ts, then run \`npm run tables\``).toEqual(lines);
  }

  const committed = (file: string) => readFile(join(import.meta.dirname, '../../src/database', file), 'utf8');
  const stale = (file: string) => `src/database/${file} is stale: run \`npm run tables\``;
  expect((await describeBaseline(chain.address)) === (await committed('baseline.sql')), stale('baseline.sql')).toBe(true);
  expect((await describeTables(chain.address)) === (await committed('tables.ts')), stale('tables.ts')).toBe(true);
});

test('what came after the baseline is applied after it', async () => {
  const folder = await copyOfMigrations();
  await writeFile(join(folder, '9000-newer.sql'), 'alter table accounts add column newer text;');
  const { db, logged, applied } = await migrated({ folder });
  expect(logged).toEqual(['baseline', '9000-newer']);
  expect(applied.at(-1)).toBe('9000-newer');
  const { rows } = await sql`select name, applied_by is not null as noted from schema_migrations order by version`.execute(db);
  expect(rows).toEqual(applied.map((name) => ({ name, noted: true })));
});

test('a baseline of other migrations than those that are there is not used', async () => {
  const folder = await copyOfMigrations();
  await appendFile(join(folder, '0002-repositories.sql'), '\n-- changed');
  const { logged, applied } = await migrated({ folder });
  expect(logged).toEqual(applied);
});

test('a database that has tables gets each migration that it lacks', async () => {
  const older = await databaseBefore(270);
  const { rows } = await sql<{ name: string }>`select name from schema_migrations`.execute(older.db);
  const logged: string[] = [];
  await migrate(older.address, { onApplied: ({ name }) => logged.push(name) });
  expect(rows.length).toBeGreaterThan(0);
  expect(logged[0]).toBe('0270-installation');

  const foreign = await emptyDatabase();
  await sql`create table not_of_hearth (id bigint)`.execute(foreign.db);
  const applied: string[] = [];
  await migrate(foreign.address, { onApplied: ({ name }) => applied.push(name) });
  expect(applied[0]).toBe('0001-accounts');
});

test('the baseline is in no other schema than the one that the connection names', async () => {
  expect(await readFile(baselineFile, 'utf8')).not.toMatch(/\bpublic\./);
});

test('the baseline fills a table after making its indexes, so that none is counted and planned without them', async () => {
  const text = await readFile(baselineFile, 'utf8');
  const indexes = [...text.matchAll(/^CREATE (?:UNIQUE )?INDEX|^alter table \w+ add constraint \w+ PRIMARY KEY/gm)];
  expect(indexes.length).toBeGreaterThan(100);
  expect(indexes.at(-1)?.index).toBeLessThan(text.indexOf('\ninsert into'));
});
