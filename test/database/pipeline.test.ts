import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { change, isUnavailable, openDatabase } from '#database/connect.ts';
import { endWithNextStatement, withTimeBudget } from '#database/time-budget.ts';
import { testDatabase } from '#test/support/database.ts';

/** Twelve connections, of which three are shared. */
async function openShared() {
  const database = await testDatabase();
  onTestFinished(() => database.close());
  const shared = openDatabase(database.address, { max: 12, name: 'shared', pipelining: true });
  onTestFinished(() => shared.close());
  await sql`create table things (id integer primary key, name text)`.execute(shared.db);
  const numberOf = async (of: number) => {
    const { rows } = await sql<{
      number: number;
      backend: number;
    }>`select ${of}::int as number, pg_backend_pid() as backend`.execute(shared.db);
    return rows[0];
  };
  return { ...shared, other: database.db, numberOf };
}

const thrownBy = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

test('each of many statements at once gets its own reply, though others among them fail, and few connections are used', async () => {
  const { db, numberOf } = await openShared();
  const failing = (at: number) => thrownBy(sql`select 1 / (${at}::int - ${at}::int)`.execute(db));
  for (let round = 0; round < 3; round++) {
    const replies = await Promise.all(
      Array.from({ length: 300 }, async (_, at) =>
        at % 3 === 0 ? ((await failing(at)) as Error).message : (await numberOf(at))?.number,
      ),
    );
    expect(replies).toEqual(Array.from({ length: 300 }, (_, at) => (at % 3 === 0 ? 'division by zero' : at)));
  }
  const { rows } = await sql<{ count: number }>`select count(*) from pg_stat_activity where application_name = 'shared'`.execute(
    db,
  );
  expect(rows[0]?.count).toBeLessThanOrEqual(12);
});

test('statements of one moment share a connection, and those after a slow one do not wait for it', async () => {
  const { db, numberOf } = await openShared();
  await numberOf(0);
  const together = await Promise.all([1, 2, 3, 4].map(numberOf));
  expect(new Set(together.map((reply) => reply?.backend)).size).toBe(1);
  let slept = false;
  const asleep = sql`select pg_sleep(${1})`.execute(db).then(() => {
    slept = true;
  });
  // Until the connection counts as stalled, statements may still be sent behind the slow one.
  await sleep(20);
  for (let at = 0; at < 50; at++) expect((await numberOf(at))?.number).toBe(at);
  expect(slept).toBe(false);
  await asleep;
});

test('reads that were sent behind a slow statement are answered before it ends, and writes behind it are done once', async () => {
  const { db, numberOf } = await openShared();
  await numberOf(0);
  let slept = false;
  const asleep = sql`select pg_sleep(${1})`.execute(db).then(() => {
    slept = true;
  });
  const write = sql`insert into things values (${1}, 'x')`.execute(db);
  const numbers = [1, 2, 3].map((number) => sql<{ number: number }>`select ${number}::int as number`.execute(db));
  expect((await Promise.all(numbers)).map(({ rows }) => rows[0]?.number)).toEqual([1, 2, 3]);
  expect(slept).toBe(false);
  await Promise.all([asleep, write]);
  const { rows } = await sql<{ count: number }>`select count(*) from things`.execute(db);
  expect(rows[0]?.count).toBe(1);
});

test('a transaction has a connection to itself, and nothing of one that failed remains', async () => {
  const { db, other } = await openShared();
  const insert = (tx: typeof db, id: number) => sql`insert into things values (${id}, 'x')`.execute(tx);
  await change(db, (tx) => insert(tx, 1));
  const failed = await thrownBy(change(db, (tx) => Promise.all([insert(tx, 2), insert(tx, 1), insert(tx, 3)])));
  expect(failed).toMatchObject({ code: '23505' });
  let late: Promise<unknown> | undefined;
  await change(db, async (tx) => {
    late = sleep(20).then(() => insert(tx, 4));
    late.catch(() => undefined);
  });
  expect(await thrownBy(late as Promise<unknown>)).toBeInstanceOf(Error);
  const { rows } = await sql<{ id: number }>`select id from things`.execute(other);
  expect(rows).toEqual([{ id: 1 }]);
});

test('a connection that PostgreSQL ends fails what it had not answered, and the next statement gets another', async () => {
  const { db, other, numberOf } = await openShared();
  const first = await numberOf(1);
  const waiting = thrownBy(sql`select pg_sleep(${60})`.execute(db));
  await sql`select pg_terminate_backend(${first?.backend}::int)`.execute(other);
  expect(isUnavailable(await waiting)).toBe(true);
  expect((await numberOf(2))?.number).toBe(2);
  expect((await numberOf(2))?.backend).not.toBe(first?.backend);
});

test('several statements on one connection are refused outside of a transaction, where they would not share it', async () => {
  const { db } = await openShared();
  const session = db.connection().execute(async (connection) => {
    await sql`select 1`.execute(connection);
    await sql`select 2`.execute(connection);
  });
  expect(await thrownBy(session)).toMatchObject({ message: expect.stringContaining('need a transaction') });
});

test('a slow statement that waits for a connection is not taken for one of the search that gives it back', async () => {
  const { db, pool, numberOf } = await openShared();
  const slow = () => sql<{ one: number }>`select 1 as one from pg_sleep(0.02)`.execute(db);
  // Statements that are known to be slow, beside others, go to the pool.
  for (let at = 0; at < 3; at++) await slow();
  for (let at = 0; at < 100; at++) await numberOf(at);
  const searches = Array.from({ length: pool.options.max ?? 0 }, () =>
    withTimeBudget(db, { milliseconds: 10_000, acquireSlot: async () => () => undefined }, async (tx) => {
      await sql`select pg_sleep(0.3)`.execute(tx);
      endWithNextStatement();
      await sql`select 1`.execute(tx);
    }),
  );
  await expect.poll(() => pool.totalCount - pool.idleCount).toBe(pool.options.max);
  const waiting = Array.from({ length: 20 }, slow);
  await expect.poll(() => pool.waitingCount).toBe(20);
  await Promise.all(searches);
  for (const { rows } of await Promise.all(waiting)) expect(rows).toEqual([{ one: 1 }]);
});
