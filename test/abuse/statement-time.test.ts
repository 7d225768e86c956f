import { sql } from 'kysely';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { change } from '#database/connect.ts';
import { jobConnections } from '#database/pools.ts';
import { enqueue, type Job } from '#jobs/job.ts';
import { startWorker } from '#jobs/worker.ts';
import { waitsForLock } from '#test/support/time.ts';
import { world } from '#test/support/world.ts';

const here = await world({ resourceLimits: { database: { statementTime: 500, jobStatementTime: 60_000 } }, connections: 8 });
const { as, user, repo: makeRepo, hearth, db } = here;
const ada = await user('ada');
await makeRepo(ada, { name: 'engine' });
const headers = { authorization: `Bearer ${await here.token(ada)}`, 'content-type': 'application/json' };

/** Asks as a person does who has not read which statuses an endpoint declares. */
const ask = (method: 'GET' | 'POST', path: string, payload?: object) =>
  hearth.app.inject({ method, url: `/api/v3${path}`, headers, ...(payload ? { payload } : {}) });

/** A connection of its own that holds a lock, so that whoever reads the table waits. */
async function holding(table: string): Promise<AsyncDisposable> {
  const client = new pg.Client(hearth.database.clientConfig);
  await client.connect();
  await client.query(`begin; lock table ${table} in access exclusive mode`);
  return { [Symbol.asyncDispose]: () => client.end() };
}

test('a statement that takes too long is stopped, and the reply names the limit', async () => {
  const client = await as(ada);
  {
    await using _ = await holding('milestones');
    const reply = await ask('GET', '/repos/ada/engine/milestones');
    expect([reply.statusCode, reply.headers['retry-after']]).toEqual([503, '60']);
    expect(reply.json().message).toContain('0.5 s of the limit database.statementTime');
    expect((await ask('POST', '/repos/ada/engine/milestones', { title: 'never' })).statusCode).toBe(503);
  }
  expect((await client.get('/repos/ada/engine/milestones')).body).toEqual([]);
  expect((await client.get('/user')).status).toBe(200);
});

test('every connection for requests has the limit, and it survives what a search sets for itself', async () => {
  await (await as(ada)).get('/search/repositories?q=engine');
  const timeouts = await Promise.all(
    Array.from({ length: 8 }, () =>
      sql<{ statement: string; idle: string }>`select current_setting('statement_timeout') as statement,
        current_setting('idle_in_transaction_session_timeout') as idle, pg_sleep(0.02)`.execute(db),
    ),
  );
  for (const { rows } of timeouts) expect(rows[0]).toMatchObject({ statement: '500ms', idle: '2min' });
});

test('requests find their connections while jobs use all of theirs, for as long as jobs may', async () => {
  const started = new Set<number>();
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  const slow: Job<{ at: number }> = {
    name: 'slow',
    attempts: 1,
    async run({ at }, { db: own }) {
      await own.connection().execute(async (connection) => {
        const { rows } = await sql<{ limit: string }>`select current_setting('statement_timeout') as limit, pg_sleep(1)`.execute(
          connection,
        );
        expect(rows[0]?.limit).toBe('1min');
        started.add(at);
        await over;
      });
    },
  };
  const worker = await startWorker({ ...hearth.worker, jobs: [slow], loops: [] });
  onTestFinished(() => worker.stop());
  for (let at = 0; at < 6; at++) await here.change((scope) => enqueue(scope.tx, slow, { at }));
  await expect.poll(() => started.size).toBe(hearth.worker.concurrency);
  const client = await as(ada);
  const replies = await Promise.all(Array.from({ length: 12 }, () => client.get('/repos/ada/engine')));
  expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 200));
  end();
  await expect.poll(() => started.size).toBe(6);
});

test('jobs find theirs while requests use all of their own', async () => {
  const done = Promise.withResolvers<void>();
  const quick: Job<object, never> = {
    name: 'quick',
    attempts: 1,
    async run(_payload, { db: own }) {
      await sql`select 1`.execute(own);
      done.resolve();
    },
  };
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  const { max } = hearth.database.pool.options;
  const held = Array.from({ length: max }, () => change(db, async () => over));
  const worker = await startWorker({ ...hearth.worker, jobs: [quick], loops: [] });
  onTestFinished(() => worker.stop());
  await change(hearth.worker.database.db, (tx) => enqueue(tx, quick, {}));
  await done.promise;
  expect(hearth.database.pool.idleCount).toBe(0);
  end();
  await Promise.all(held);
});

test('both kinds keep to the connections of the process together', () => {
  const shares = [1, 2, 4, 6, 8, 12, 20, 40].map((connections) => [connections, jobConnections(connections)]);
  expect(shares).toEqual([
    [1, 1],
    [2, 1],
    [4, 2],
    [6, 3],
    [8, 4],
    [12, 4],
    [20, 8],
    [40, 16],
  ]);
});

test('who waits for a lock waits no longer than that either', async () => {
  await using _ = await holding('issues');
  const reply = ask('GET', '/repos/ada/engine/issues');
  await waitsForLock(hearth.worker.database.db, 'issues');
  expect((await reply).statusCode).toBe(503);
});
