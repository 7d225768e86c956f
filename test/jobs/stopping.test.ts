import { sql } from 'kysely';
import pino from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import type { JobContext } from '#endpoint/job-context.ts';
import { startGit } from '#git/process/process.ts';
import { enqueue } from '#jobs/job.ts';
import { startWorker } from '#jobs/worker.ts';
import { world } from '#test/support/world.ts';

const here = await world();
const { hearth, change, db } = here;
const log = pino({ level: 'silent' });

type Run = (context: JobContext, onStep: () => void) => Promise<void>;

/** Starts a job, stops its worker in the middle, and returns the job's row. `interrupt`: when statements are refused. */
async function stopDuring(run: Run, { interrupt = 50, abandon = 20_000 } = {}) {
  const started = Promise.withResolvers<void>();
  const long = {
    name: 'long',
    attempts: 3,
    run: (_payload: object, context: JobContext) => run(context, started.resolve),
  };
  const stopTimes = { interrupt, abandon };
  const worker = await startWorker({ ...hearth.worker, jobs: [long], loops: [], log, stopTimes });
  await change((scope) => enqueue(scope.tx, long, {}, { queue: 'in turn' }));
  await started.promise;
  await worker.stop();
  const { rows } = await sql`select attempts, locked_by is not null as "isLocked", run_at <= now() as "isDue", last_error
    from jobs._private_jobs`.execute(db);
  const queues = await sql`select locked_by from jobs._private_job_queues where locked_by is not null`.execute(db);
  await sql`delete from jobs._private_jobs`.execute(db);
  await sql`delete from jobs._private_job_queues`.execute(db);
  return { rows, lockedQueues: queues.rows.length };
}

const free = { rows: [{ attempts: 0, isLocked: false, isDue: true, last_error: null }], lockedQueues: 0 };

test('a loop that asks for the signal ends at its next step, and the attempt does not count', async () => {
  const run: Run = async ({ stopping }, onStep) => {
    for (;;) {
      stopping?.throwIfAborted();
      onStep();
      await new Promise(setImmediate);
    }
  };
  expect(await stopDuring(run, { interrupt: 20_000 })).toEqual(free);
});

test('a loop of transactions that asks for nothing is interrupted', async () => {
  const run: Run = async (context, onStep) => {
    for (;;) await context.change((scope) => sql`select 1`.execute(scope.tx).then(onStep));
  };
  expect(await stopDuring(run)).toEqual(free);
});

test('a loop of statements in one transaction is rolled back', async () => {
  await sql`create table steps (n integer)`.execute(db);
  const run: Run = (context, onStep) =>
    context.change(async (scope) => {
      for (;;) await sql`insert into steps values (1)`.execute(scope.tx).then(onStep);
    });
  expect(await stopDuring(run)).toEqual(free);
  expect((await sql`select from steps`.execute(db)).rows).toEqual([]);
});

test('a statement that takes long is cancelled', async () => {
  const run: Run = async (context, onStep) => {
    onStep();
    await sql`select pg_sleep(600)`.execute(context.db);
  };
  expect(await stopDuring(run)).toEqual(free);
});

test('a git process that takes long is ended', async () => {
  const run: Run = async ({ services: { git } }, onStep) => {
    const process = startGit({ store: git }, ['hash-object', '--stdin']); // its input stays open
    onStep();
    const { cause } = await process.ended;
    if (cause) throw cause;
  };
  expect(await stopDuring(run)).toEqual(free);
});

test('a job that can not be interrupted is left behind, and its attempt does not count', async () => {
  const end = Promise.withResolvers<void>();
  onTestFinished(() => end.resolve());
  const run: Run = async (_context, onStep) => {
    onStep();
    await end.promise;
  };
  const { rows } = await stopDuring(run, { abandon: 200 });
  expect(rows).toEqual([{ attempts: 0, isLocked: true, isDue: true, last_error: null }]);
});
