import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openDatabase } from '#database/connect.ts';
import { within } from '#search/read.ts';
import { startBudget } from '#search/result.ts';
import { newPlace } from '#test/search/support.ts';

/** One connection only, so that what isn't given back is missed. */
async function single() {
  const { address } = await newPlace();
  const alone = openDatabase(address, { max: 1 });
  return { ...alone, [Symbol.asyncDispose]: () => alone.close() };
}

test('rule 7: the budget is for all statements of a search together', async () => {
  await using alone = await single();
  let reached = 0;
  const start = performance.now();
  const result = await within(alone.db, startBudget(400), async (tx) => {
    for (; reached < 10; reached++) await sql`select pg_sleep(0.15)`.execute(tx);
    return 'all';
  });
  expect(result).toBeUndefined();
  // Each takes 150 ms at least, more on a busy machine.
  expect([1, 2]).toContain(reached);
  expect(performance.now() - start).toBeLessThan(1_000);
});

test('rule 7: a search whose time is over is stopped in PostgreSQL, and its connection works on without a limit', async () => {
  await using alone = await single();
  expect(await within(alone.db, startBudget(100), (tx) => sql`select pg_sleep(30)`.execute(tx))).toBeUndefined();
  const { rows } = await sql<{ limit: string }>`select current_setting('statement_timeout') as limit, pg_sleep(0.2)`.execute(
    alone.db,
  );
  expect(rows[0]?.limit).toBe('0');
});

test('rule 7: waiting for a connection is part of the budget', async () => {
  await using alone = await single();
  const other = alone.db.transaction().execute((tx) => sql`select pg_sleep(0.3)`.execute(tx));
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(await within(alone.db, startBudget(100), (tx) => sql`select 1`.execute(tx))).toBeUndefined();
  await other;
});

test('rule 7: a search that finds no connection in its time ends then, and takes none later', async () => {
  await using alone = await single();
  const other = alone.db.transaction().execute((tx) => sql`select pg_sleep(1)`.execute(tx));
  await new Promise((resolve) => setTimeout(resolve, 50));
  const start = performance.now();
  let ran = false;
  const search = await within(alone.db, startBudget(100), async (tx) => {
    await sql`select 1`.execute(tx);
    ran = true;
  });
  expect([search, performance.now() - start < 500]).toEqual([undefined, true]);
  await other;
  await sql`select 1`.execute(alone.db);
  expect(ran).toBe(false);
});

test('slow searches leave half of the connections to everything else', async () => {
  const { address } = await newPlace();
  const { db, close } = openDatabase(address, { max: 4 });
  const searches = Array.from({ length: 8 }, () => within(db, startBudget(600), (tx) => sql`select pg_sleep(30)`.execute(tx)));
  await new Promise((resolve) => setTimeout(resolve, 100));
  const start = performance.now();
  await Promise.all([1, 2, 3, 4].map(() => sql`select 1`.execute(db)));
  expect(performance.now() - start).toBeLessThan(300);
  expect(await Promise.all(searches)).toEqual(Array.from({ length: 8 }, () => undefined));
  expect(performance.now() - start).toBeLessThan(1_500);
  expect(await within(db, startBudget(600), async () => 'free again')).toBe('free again');
  await close();
});
