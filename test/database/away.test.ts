import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { PreparingClient } from '#database/client.ts';
import { isUnavailable, openDatabase } from '#database/connect.ts';
import { testDatabase } from '#test/support/database.ts';

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'none',
    (error: unknown) => error,
  );

test('a full pool and a server that does not answer are told from what a statement does wrong', async () => {
  const database = await testDatabase();
  const { db, close } = openDatabase(database.address, { max: 1, wait: 2_000 });
  await db.connection().execute(async () => expect(isUnavailable(await failureOf(sql`select 1`.execute(db)))).toBe(true));
  expect(isUnavailable(await failureOf(sql`select 1 / 0`.execute(db)))).toBe(false);
  expect(isUnavailable(await failureOf(sql`select pg_terminate_backend(pg_backend_pid())`.execute(db)))).toBe(true);
  await close();
  await database.close();

  const nowhere = openDatabase({ socket: '/nonexistent', database: 'none', user: 'none' });
  expect(isUnavailable(await failureOf(sql`select 1`.execute(nowhere.db)))).toBe(true);
  await nowhere.close();

  // Something that listens there, and says nothing.
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const client = new PreparingClient({ host: '127.0.0.1', port, user: 'none', database: 'none', connectionTimeoutMillis: 50 });
  expect(isUnavailable(await failureOf(client.connect()))).toBe(true);
  silent.close();
  expect(isUnavailable(new Error('anything else'))).toBe(false);
});
