import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { isAway, openDatabase } from '#database/connect.ts';
import { testDatabase } from '#test/support/database.ts';

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'none',
    (error: unknown) => error,
  );

test('a full pool and a server that does not answer are told from what a statement does wrong', async () => {
  const database = await testDatabase();
  const { db, close } = openDatabase(database.address, { max: 1, wait: 2_000 });
  await db.connection().execute(async () => expect(isAway(await failureOf(sql`select 1`.execute(db)))).toBe(true));
  expect(isAway(await failureOf(sql`select 1 / 0`.execute(db)))).toBe(false);
  expect(isAway(await failureOf(sql`select pg_terminate_backend(pg_backend_pid())`.execute(db)))).toBe(true);
  await close();
  await database.close();

  const nowhere = openDatabase({ socket: '/nonexistent', database: 'none', user: 'none' });
  expect(isAway(await failureOf(sql`select 1`.execute(nowhere.db)))).toBe(true);
  await nowhere.close();
  expect(isAway(new Error('anything else'))).toBe(false);
});
