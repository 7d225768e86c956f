import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openDatabase } from '#database/connect.ts';
import { within } from '#search/read.ts';
import { startBudget } from '#search/result.ts';
import { testDatabase } from '#test/support/database.ts';

test('a statement is prepared once, however many different searches were made before', async () => {
  const database = await testDatabase();
  const { db, close } = openDatabase(database.address, { max: 1 });
  await within(db, startBudget(20_000), async (tx) => {
    for (let at = 0; at < 2_100; at++) await sql`select ${sql.lit(at)}, ${'a search'}::text`.execute(tx);
  });
  const [one, another] = [sql`select ${'one'}::text as usual`, sql`select ${'another'}::text as usual`];
  for (const statement of [one, another]) await statement.execute(db);
  const { rows } = await sql<{ statement: string }>`select statement from pg_prepared_statements`.execute(db);
  const count = (part: string) => rows.filter(({ statement }) => statement.includes(part)).length;
  expect([count('as usual'), count('select 2099')]).toEqual([1, 0]);
  expect(rows.length).toBeLessThan(600);
  await close();
  await database.close();
});
