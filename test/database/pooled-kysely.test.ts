import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import {
  change,
  type Db,
  isUnavailable,
  onOneConnection,
  openDatabase,
  type PoolOptions,
  readTogether,
  sendUnawaited,
  type Tx,
} from '#database/connect.ts';
import { testDatabase } from '#test/support/database.ts';
import { waitsForLock } from '#test/support/time.ts';

/** Few connections, and a table of numbers; `other` is a pool of its own. */
async function open(options: PoolOptions = {}) {
  const database = await testDatabase();
  onTestFinished(() => database.close());
  const opened = openDatabase(database.address, { max: 8, name: 'tested', pipelining: true, ...options });
  onTestFinished(() => opened.close());
  await sql`create table things (id integer primary key, part_of integer)`.execute(database.db);
  return { ...opened, other: database.db };
}

const insert = (id: number, partOf = 0) => sql`insert into things (id, part_of) values (${id}, ${partOf})`;
const idsIn = async (db: Db): Promise<number[]> =>
  (await sql<{ id: number }>`select id from things order by id`.execute(db)).rows.map(({ id }) => id);
const thrownBy = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );
const uniqueViolation = { code: '23505' };

/** A generator of numbers below `n`, the same at every run. */
function numbers(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * n);
  };
}

test('what is sent last without waiting is part of the transaction', async () => {
  const { db, other } = await open();
  for (let id = 0; id < 50; id++)
    await change(db, async (tx) => {
      sendUnawaited(tx, insert(id).compile(tx));
    });
  expect(await idsIn(other)).toHaveLength(50);
});

/** Ways in which a change fails because 1 is there already. Whatever the change does then, its caller hears of that. */
const failures: Record<string, (tx: Tx) => Promise<unknown>> = {
  'nobody waits for it': async (tx) => sendUnawaited(tx, insert(1).compile(tx)),
  'nobody waits for it, and others follow': async (tx) => {
    sendUnawaited(tx, insert(1).compile(tx));
    await insert(3).execute(tx);
  },
  'what follows is prepared in the transaction that failed': async (tx) => {
    sendUnawaited(tx, insert(1).compile(tx));
    const read = (id: number) => sql`select id as again from things where id = ${id}`.execute(tx);
    const [, second] = await Promise.allSettled([read(1), read(2)]);
    if (second.status === 'rejected') throw second.reason;
  },
  'one of several': (tx) => Promise.all([insert(3), insert(1), insert(4)].map((one) => one.execute(tx))),
  'the last of several': (tx) => Promise.all([insert(3), insert(4), insert(1)].map((one) => one.execute(tx))),
  'the error is caught': async (tx) => {
    await thrownBy(insert(1).execute(tx));
    await thrownBy(insert(3).execute(tx));
  },
};

test.each(Object.entries(failures))('a write that fails makes the change fail: %s', async (_, work) => {
  const { db, pool, other } = await open({ max: 4 });
  await insert(1).execute(other);
  for (let round = 0; round < 5; round++) {
    const error = await thrownBy(
      change(db, async (tx) => {
        await insert(2).execute(tx);
        await work(tx);
      }),
    );
    expect(error).toMatchObject(uniqueViolation);
  }
  expect(await idsIn(other)).toEqual([1]);
  expect(pool).toMatchObject({ totalCount: 1, idleCount: 1 });
  // The connection, and what is prepared on it, can be used as before.
  for (const id of [2, 3, 4]) await change(db, (tx) => Promise.all([insert(id).execute(tx), idsIn(tx)]));
  const again = await change(db, (tx) => sql`select id as again from things where id = ${4}`.execute(tx));
  expect(again.rows).toEqual([{ again: 4 }]);
});

test('a value that cannot be sent makes the change fail, too', async () => {
  const { db, other } = await open();
  const circular: { self?: object } = {};
  circular.self = circular;
  const bad = sql`insert into things (id) select 7 where ${circular}::jsonb is null`;
  const error = await thrownBy(
    change(db, async (tx) => {
      sendUnawaited(tx, bad.compile(tx));
      await insert(1).execute(tx);
    }),
  );
  expect(error).toMatchObject({ message: expect.stringContaining('circular') });
  expect(await idsIn(other)).toEqual([]);
});

test('a change whose begin was canceled is not acknowledged', async () => {
  const { db, pool, other } = await open({ max: 4 });
  const client = await pool.connect();
  const send = client.query.bind(client);
  client.query = ((text: unknown, ...rest: unknown[]) =>
    text === 'begin' ? Promise.reject(new Error('canceled')) : (send as (...all: unknown[]) => unknown)(text, ...rest)) as never;
  client.release();
  expect(await thrownBy(change(db, (tx) => idsIn(tx)))).toMatchObject({ message: 'canceled' });
  expect(await idsIn(other)).toEqual([]);
});

test('what a rule throws while statements are under way is thrown, and nothing stays', async () => {
  const { db, other, pool } = await open();
  const work = change(db, async (tx) => {
    for (let id = 0; id < 20; id++) sendUnawaited(tx, insert(id).compile(tx));
    throw new Error('No');
  });
  await expect(work).rejects.toThrow('No');
  expect(await idsIn(other)).toEqual([]);
  expect(pool.idleCount).toBe(pool.totalCount);
});

test('a thousand changes that fail leave all connections free', async () => {
  const { db, pool, other } = await open();
  await insert(1).execute(other);
  const ways = Object.values(failures);
  const results = await Promise.allSettled(
    Array.from({ length: 1_000 }, (_, at) =>
      change(db, async (tx) => {
        if (at % 7 === 6) throw new Error('No');
        await ways[at % 7]?.(tx);
      }),
    ),
  );
  expect(results.filter(({ status }) => status === 'fulfilled')).toEqual([]);
  expect(pool).toMatchObject({ waitingCount: 0, idleCount: pool.totalCount });
  expect(pool.totalCount).toBeLessThanOrEqual(6);
  expect(await idsIn(db)).toEqual([1]);
});

test('a transaction takes no other one into it, and nothing after its end', async () => {
  const { db, other } = await open();
  const late = await change(db, async (tx) => {
    await expect(async () => change(tx as never, async () => undefined)).rejects.toThrow('A transaction is in progress');
    return tx;
  });
  await expect(insert(1).execute(late)).rejects.toThrow('The transaction has ended');
  expect(await idsIn(other)).toEqual([]);
});

test('what only reads cannot write', async () => {
  const { db, other } = await open();
  const work = readTogether(db, { isolationLevel: 'repeatable read' }, (tx) => insert(1).execute(tx));
  await expect(work).rejects.toMatchObject({ code: '25006' });
  expect(await idsIn(other)).toEqual([]);
});

test('reads of one transaction see one moment', async () => {
  const { db, other } = await open();
  await readTogether(db, { isolationLevel: 'repeatable read' }, async (tx) => {
    expect(await idsIn(tx)).toEqual([]);
    await insert(1).execute(other);
    expect(await idsIn(tx)).toEqual([]);
  });
  expect(await idsIn(db)).toEqual([1]);
});

test('the timeout of an unawaited write that waits for a lock is what its change fails by', async () => {
  const { db, other } = await open({ timeouts: { statement: 200, idle: 60_000 } });
  await change(other, async (tx) => {
    await insert(1).execute(tx);
    const work = change(db, async (tx) => {
      sendUnawaited(tx, insert(1).compile(tx));
      await idsIn(tx);
    });
    await expect(work).rejects.toMatchObject({ code: '57014' });
  });
  expect(await idsIn(db)).toEqual([1]);
});

test('of a lock of one connection, transactions are on that connection, and it is given back', async () => {
  const { db, pool } = await open();
  const pid = async (of: Db) => (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(of)).rows[0]?.pid;
  const pids = await onOneConnection(db, async (one) => [await pid(one), await change(one, pid), await pid(one)]);
  expect(new Set(pids).size).toBe(1);
  await expect(onOneConnection(db, () => Promise.reject(new Error('No')))).rejects.toThrow('No');
  expect(pool).toMatchObject({ totalCount: 1, idleCount: 1 });
});

test('a connection that is cut while a write waits is not used again', async () => {
  const { db, other, pool } = await open({ max: 4 });
  await change(other, async (tx) => {
    await insert(1).execute(tx);
    const work = thrownBy(
      change(db, async (tx) => {
        sendUnawaited(tx, insert(1).compile(tx));
        await idsIn(tx);
      }),
    );
    await waitsForLock(other, 'insert into things');
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tested'`.execute(other);
    expect(isUnavailable(await work)).toBe(true);
  });
  await change(db, (tx) => insert(2).execute(tx));
  expect(await idsIn(other)).toEqual([1, 2]);
  expect(pool.idleCount).toBe(pool.totalCount);
});

/** 3,000 were run by hand. */
const rounds = Number(process.env.HEARTH_TEST_STEPS ?? 150);

test('whenever connections are cut, a change is whole or absent, and there if it was acknowledged', async () => {
  const { db, other, pool } = await open();
  const next = numbers(7);
  const cut = () =>
    thrownBy(sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tested'`.execute(other));
  const parts = 6;
  const acknowledged = new Set<number>();
  const errors: unknown[] = [];
  for (let at = 1; at <= rounds; at++) {
    const cutAfter = next(parts + 3);
    const cuts: Promise<unknown>[] = [];
    const work = change(db, async (tx) => {
      for (let part = 0; part < parts; part++) {
        if (part === cutAfter) cuts.push(cut());
        if (part === cutAfter && next(2) === 0) await cuts[0];
        const one = insert(at * parts + part, at);
        if (next(2) === 0) sendUnawaited(tx, one.compile(tx));
        else await one.execute(tx);
      }
      if (cutAfter === parts) cuts.push(cut());
      if (cutAfter === parts + 1) cuts.push(sleep(next(3)).then(cut));
    });
    await work.then(
      () => acknowledged.add(at),
      (error) => errors.push(error),
    );
    await Promise.all(cuts);
  }
  const { rows } = await sql<{ part_of: number; count: number }>`select part_of, count(*) from things group by 1`.execute(other);
  const stored = new Map(rows.map((row) => [row.part_of, row.count]));
  expect([...stored.values()].filter((count) => count !== parts)).toEqual([]);
  expect([...acknowledged].filter((at) => !stored.has(at))).toEqual([]);
  expect(acknowledged.size).toBeGreaterThan(0);
  expect(errors.length).toBeGreaterThan(0);
  expect(errors.filter((error) => !isUnavailable(error))).toEqual([]);
  await expect.poll(() => pool.idleCount === pool.totalCount).toBe(true);
});
