import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { isUnavailable, openDatabase } from '#database/connect.ts';
import { databaseLimits } from '#database/limits.ts';
import { initialValues } from '#lib/limits.ts';
import { runWithinBudget } from '#search/read.ts';
import { startBudget } from '#search/result.ts';
import { testDatabase } from '#test/support/database.ts';

test('what comes again and again is prepared, long and single texts are not, and searches take nothing from the others', async () => {
  const database = await testDatabase();
  onTestFinished(() => database.close());
  const limits = { ...initialValues(databaseLimits), preparedText: 2_000, preparedSearchTexts: 5_000 };
  const { db, close } = openDatabase(database.address, { max: 1, limits });
  onTestFinished(close);
  const read = (text: string) => sql`select ${sql.lit(text)}, ${'a'}::text as usual`.execute(db);
  const search = (text: string) =>
    runWithinBudget(db, startBudget(100_000), (tx) => sql`select ${sql.lit(text)}, ${'a'}::text as search`.execute(tx));
  for (let at = 0; at < 300; at++) await search(`single ${at}`);
  for (let at = 0; at < 300; at++) for (const _ of [1, 2]) await search(`again ${at}`);
  for (const text of ['one', 'two', 'two', 'x'.repeat(2_000), 'x'.repeat(2_000)]) await read(text);
  const { rows } = await sql<{ statement: string }>`select statement from pg_prepared_statements`.execute(db);
  const texts = rows.map(({ statement }) => statement);
  expect(texts.filter((text) => text.includes('usual'))).toEqual([expect.stringContaining("'two'")]);
  const searches = texts.filter((text) => text.includes('as search'));
  expect(searches.filter((text) => text.includes('single'))).toEqual([]);
  expect(searches.length).toBeGreaterThan(50);
  expect(texts.filter((text) => !text.includes('as usual')).join('').length).toBeLessThanOrEqual(5_000);
});

test('statements go on after a column was added to their table, as a newer Hearth does at its start', async () => {
  const database = await testDatabase();
  onTestFinished(() => database.close());
  const { db } = database;
  await sql`create table things (id integer)`.execute(db);
  const read = (text: string) => sql`select *, ${text}::text as text from things`.execute(db);
  for (const _ of [1, 2]) await read('before');
  await sql`alter table things add column name text`.execute(db);
  const error = await read('once').then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(isUnavailable(error)).toBe(true);
  await Promise.all(Array.from({ length: 20 }, () => read('afterwards')));
});

test('a value that cannot be sent takes nothing from the statements that follow', async () => {
  const database = await testDatabase();
  onTestFinished(() => database.close());
  const { db, close } = openDatabase(database.address, { max: 1 });
  onTestFinished(close);
  const read = (value: unknown) => sql`select ${value}::jsonb as value`.execute(db);
  for (let round = 0; round < 3; round++) {
    for (const _ of [1, 2]) await read('{}');
    await expect(read({ big: 1n })).rejects.toThrow('BigInt');
  }
  expect((await read('{}')).rows).toEqual([{ value: {} }]);
});
