import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { change, openDatabase } from '#database/connect.ts';
import { Refusal } from '#lib/refusal.ts';
import { testDatabase } from '#test/support/database.ts';

/** Connections whose statements read 100,000 bytes at most. */
async function open(pipelining: boolean) {
  const database = await testDatabase();
  onTestFinished(() => database.close());
  const limited = openDatabase(database.address, { max: 4, pipelining, resultBytes: 100_000 });
  onTestFinished(() => limited.close());
  return limited.db;
}

const rows = (count: number) =>
  sql<{ n: number }>`select n, repeat('x', 1000) as text from generate_series(1, ${count}::integer) n`;

const refusalOf = async (work: Promise<unknown>) => {
  const error = await work.catch((thrown: unknown) => thrown);
  return error instanceof Refusal ? { kind: error.kind, limit: error.limit } : error;
};
const tooLarge = { kind: 'too_large', limit: 'database.resultBytes' };

test.each([
  ['of its own', false],
  ['that it shares', true],
])('a statement that reads too much is refused, and its connection, one %s, goes on', async (_, pipelining) => {
  const db = await open(pipelining);
  for (let round = 0; round < 3; round++) {
    const [before, large, after] = await Promise.all([
      rows(50).execute(db),
      refusalOf(rows(2_000).execute(db)),
      rows(90).execute(db),
    ]);
    expect({ before: before.rows.length, large, after: after.rows.length }).toEqual({ before: 50, large: tooLarge, after: 90 });
  }
});

test('a transaction in which a statement reads too much is undone', async () => {
  const db = await open(true);
  await sql`create table things (id integer)`.execute(db);
  const work = change(db, async (tx) => {
    await sql`insert into things values (1)`.execute(tx);
    await rows(2_000).execute(tx);
  });
  expect(await refusalOf(work)).toEqual(tooLarge);
  expect((await sql`select from things`.execute(db)).rows).toEqual([]);
});

test('large results are passed on one in each turn of the event loop', async () => {
  const database = await testDatabase();
  onTestFinished(() => database.close());
  const { db, close } = openDatabase(database.address, { max: 8 });
  onTestFinished(close);
  let turns = 0;
  let counting = setImmediate(count);
  function count(): void {
    turns++;
    counting = setImmediate(count);
  }
  onTestFinished(() => clearImmediate(counting));
  const turnOf = async (): Promise<number> => {
    await rows(3_000).execute(db);
    const turn = turns;
    // Meanwhile, the other results arrive.
    for (const until = performance.now() + 100; performance.now() < until; );
    return turn;
  };
  const seen = await Promise.all(Array.from({ length: 8 }, turnOf));
  expect(new Set(seen).size).toBe(8);
});
