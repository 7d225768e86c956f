import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { type Db, openDatabase } from '#database/connect.ts';
import { endWithNextStatement } from '#database/time-budget.ts';
import { system } from '#lib/caller.ts';
import { concurrencyLimiter } from '#lib/concurrency-limiter.ts';
import { planForWords, runWithinBudget } from '#search/read.ts';
import { startBudget } from '#search/result.ts';
import { newPlace } from '#test/search/support.ts';

/** One connection only, so that what isn't given back is missed. */
async function single() {
  const { address } = await newPlace();
  const alone = openDatabase(address, { max: 1 });
  return { ...alone, [Symbol.asyncDispose]: () => alone.close() };
}

/** Takes a connection until it is disposed of. */
async function taken(db: Db): Promise<AsyncDisposable> {
  const [begun, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holding = db.connection().execute(async () => {
    begun.resolve();
    await over.promise;
  });
  await begun.promise;
  return {
    async [Symbol.asyncDispose]() {
      over.resolve();
      await holding;
    },
  };
}

test('rule 7: the budget is for all statements of a search together', async () => {
  await using alone = await single();
  let reached = 0;
  const result = await runWithinBudget(alone.db, startBudget(400), async (tx) => {
    for (; reached < 10; reached++) await sql`select pg_sleep(0.15)`.execute(tx);
    return 'all';
  });
  expect(result).toBeUndefined();
  // Each takes 150 ms at least, more on a busy machine.
  expect(reached).toBeLessThan(3);
});

test('rule 7: a search whose time is over is stopped in PostgreSQL, and its connection works on without a limit', async () => {
  await using alone = await single();
  const start = performance.now();
  expect(await runWithinBudget(alone.db, startBudget(100), (tx) => sql`select pg_sleep(30)`.execute(tx))).toBeUndefined();
  expect(performance.now() - start).toBeLessThan(15_000);
  const { rows } = await sql<{ limit: string }>`select current_setting('statement_timeout') as limit, pg_sleep(0.2)`.execute(
    alone.db,
  );
  expect(rows[0]?.limit).toBe('0');
});

type Setting = { of: string };
const setting = async (db: Db, name: string): Promise<string | undefined> =>
  (await sql<Setting>`select current_setting(${name}) as of`.execute(db)).rows[0]?.of;

test('what is set for a search holds from its first statement on, and not beyond it', async () => {
  await using alone = await single();
  const usual = [await setting(alone.db, 'enable_seqscan'), await setting(alone.db, 'plan_cache_mode')];
  const seen = await runWithinBudget(alone.db, startBudget(60_000), async (tx) => {
    const first = [await setting(tx, 'enable_seqscan'), await setting(tx, 'transaction_read_only')];
    planForWords();
    endWithNextStatement();
    return [...first, await setting(tx, 'plan_cache_mode')];
  });
  expect(seen).toEqual(['off', 'on', 'force_custom_plan']);
  expect([await setting(alone.db, 'enable_seqscan'), await setting(alone.db, 'plan_cache_mode')]).toEqual(usual);
});

test('nothing follows the statement with which a search ends', async () => {
  await using alone = await single();
  const search = runWithinBudget(alone.db, startBudget(60_000), async (tx) => {
    endWithNextStatement();
    await sql`select 1`.execute(tx);
    await sql`select 2`.execute(tx);
  });
  await expect(search).rejects.toThrow('has ended');
  expect(await setting(alone.db, 'enable_seqscan')).toBe('on');
});

test.each([
  ['fails', 'select 1 / (random() * 0)::integer', /division by zero/],
  ['takes too long', 'select pg_sleep(30)', undefined],
])('where the statement with which a search ends %s, its connection works on', async (_, statement, error) => {
  await using alone = await single();
  const search = runWithinBudget(alone.db, startBudget(300), async (tx) => {
    endWithNextStatement();
    return sql.raw(statement).execute(tx);
  });
  if (error) await expect(search).rejects.toThrow(error);
  else expect(await search).toBeUndefined();
  const { rows } = await sql<{ now: Date; begun: Date }>`select now(), statement_timestamp() as begun`.execute(alone.db);
  // In a transaction of its own, and not in one that was left open.
  expect(rows[0]?.now).toEqual(rows[0]?.begun);
  expect(await setting(alone.db, 'statement_timeout')).toBe('0');
});

test('rule 7: waiting for a connection is part of the budget', async () => {
  await using alone = await single();
  await using _ = await taken(alone.db);
  expect(await runWithinBudget(alone.db, startBudget(100), (tx) => sql`select 1`.execute(tx))).toBeUndefined();
});

test('rule 7: a search that finds no connection in its time ends then, and takes none later', async () => {
  await using alone = await single();
  let ran = false;
  {
    await using _ = await taken(alone.db);
    // It ends, though the connection is still taken.
    const search = await runWithinBudget(alone.db, startBudget(100), async (tx) => {
      await sql`select 1`.execute(tx);
      ran = true;
    });
    expect(search).toBeUndefined();
  }
  await sql`select 1`.execute(alone.db);
  expect(ran).toBe(false);
});

test('slow searches leave half of the connections to everything else', async () => {
  const { address } = await newPlace();
  const { db, close } = openDatabase(address, { max: 4 });
  const limits = { total: 2, perCaller: 2, anonymous: 2, waiting: 50, waitingTime: 0 };
  const share = { searches: concurrencyLimiter('search.concurrent', limits), caller: system };
  const ended: string[] = [];
  const start = performance.now();
  const searches = Array.from({ length: 8 }, async () => {
    const result = await runWithinBudget(db, startBudget(3_000, share), (tx) => sql`select pg_sleep(30)`.execute(tx));
    ended.push('search');
    return result;
  });
  const others = [1, 2, 3, 4].map(async () => {
    await sql`select 1`.execute(db);
    ended.push('other');
  });
  await Promise.all(others);
  expect(ended).toEqual(['other', 'other', 'other', 'other']);
  expect(await Promise.all(searches)).toEqual(Array.from({ length: 8 }, () => undefined));
  // Those that waited for their turn had no time of their own then: two by two, that would have taken 12 seconds.
  expect(performance.now() - start).toBeLessThan(9_000);
  expect(await runWithinBudget(db, startBudget(60_000, share), async () => 'free again')).toBe('free again');
  await close();
});

test('a caller whose searches wait in great number is refused, and others find their place', async () => {
  await using alone = await single();
  const limits = { total: 2, perCaller: 1, anonymous: 1, waiting: 2, waitingTime: 0 };
  const searches = concurrencyLimiter('search.concurrent', limits);
  const ask = (key: string, statement = 'select 1') =>
    runWithinBudget(alone.db, startBudget(60_000, { searches, caller: { key, kind: 'signed_in' } }), (tx) =>
      sql.raw(statement).execute(tx),
    );
  const held = Promise.withResolvers<void>();
  const greedy = runWithinBudget(
    alone.db,
    startBudget(60_000, { searches, caller: { key: 'ada', kind: 'signed_in' } }),
    () => held.promise,
  );
  const waiting = [ask('ada'), ask('ada')];
  await expect(ask('ada')).rejects.toMatchObject({ kind: 'too_many', limit: 'search.concurrent' });
  expect(searches.callers()).toEqual([{ key: 'ada', running: 1, waiting: 2 }]);
  const other = ask('bob');
  expect(searches.callers()).toContainEqual({ key: 'bob', running: 1, waiting: 0 });
  held.resolve();
  await Promise.all([greedy, other, ...waiting]);
  expect(searches.callers()).toEqual([]);
});
