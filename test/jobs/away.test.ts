import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import pino from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { change, type Database, openDatabase } from '#database/connect.ts';
import { enqueue, type Job, type QueueContext } from '#jobs/job.ts';
import { startWorker } from '#jobs/worker.ts';
import { testDatabase } from '#test/support/database.ts';

const connections = 4;

/** A database with few connections and little patience, and a worker on it. */
async function stage(...jobs: Job<never, QueueContext>[]) {
  const whole = await testDatabase();
  const database = openDatabase(whole.address, { max: connections, wait: 300 });
  const log = pino({ level: 'silent' });
  const worker = await startWorker({
    database,
    jobs,
    services: undefined,
    contextOf: (given) => given,
    log,
    clock: () => new Date(),
  });
  onTestFinished(async () => {
    await worker.stop();
    await database.close();
    await whole.close();
  });
  return { database, other: whole.db, add: (job: Job) => change(whole.db, (tx) => enqueue(tx, job, {})) };
}

const endConnections = ({ db }: Pick<Database, 'db'>) =>
  sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`.execute(db);

const unfinished = async ({ db }: Pick<Database, 'db'>): Promise<number> =>
  (await sql<{ id: number }>`select id from jobs.jobs`.execute(db)).rows.length;

test('a job that ends while every connection is in use is done all the same', async () => {
  let runs = 0;
  const greedy: Job = {
    name: 'greedy',
    attempts: 3,
    async run(_payload, { db }) {
      runs += 1;
      for (let each = 0; each < connections; each++) void sql`select pg_sleep(1)`.execute(db).catch(() => undefined);
      await sleep(50);
    },
  };
  const { other, add } = await stage(greedy);
  await add(greedy);
  await expect.poll(() => unfinished({ db: other })).toBe(0);
  expect(runs).toBe(1);
});

test('a job whose connections PostgreSQL ends is done, and so are those after it', async () => {
  const done: string[] = [];
  const cut: Job = {
    name: 'cut',
    attempts: 3,
    async run() {
      done.push('cut');
      await endConnections({ db: other });
    },
  };
  const next: Job = {
    name: 'next',
    attempts: 3,
    async run() {
      done.push('next');
    },
  };
  const { other, add } = await stage(cut, next);
  await add(cut);
  await expect.poll(() => unfinished({ db: other })).toBe(0);
  await add(next);
  await expect.poll(() => unfinished({ db: other })).toBe(0);
  expect(done).toEqual(['cut', 'next']);
});

test('a job that was taken as PostgreSQL went away, so that the answer never came, is taken again', async () => {
  const takers: (string | null)[] = [];
  const work: Job = {
    name: 'work',
    attempts: 3,
    async run(_payload, { db }) {
      const { rows } = await sql<{ locked_by: string | null }>`select locked_by from jobs._private_jobs`.execute(db);
      takers.push(...rows.map(({ locked_by }) => locked_by));
    },
  };
  const { other, add } = await stage(work);
  await add(work);
  await expect.poll(() => unfinished({ db: other })).toBe(0);

  await change(other, async (tx) => {
    await enqueue(tx, work, {});
    await sql`update jobs._private_jobs set locked_at = now(), locked_by = ${takers[0]}`.execute(tx);
  });
  await endConnections({ db: other });
  await expect.poll(() => unfinished({ db: other })).toBe(0);
  expect(takers).toHaveLength(2);
  expect(takers[1]).not.toBe(takers[0]);
});
