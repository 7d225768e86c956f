import pino from 'pino';
import { expect, test } from 'vitest';
import { enqueue, type Job } from '#jobs/job.ts';
import { runDueJobs, startWorker } from '#jobs/worker.ts';
import { openWorkerRegistry } from '#jobs/worker-registry.ts';
import { world } from '#test/support/world.ts';

const here = await world();
const { hearth, change } = here;
const log = pino({ level: 'silent' });
const partsOf = (...jobs: Job<never, never>[]) => ({ ...hearth.worker, jobs, loops: [], log });

test('a job that takes long stays with its worker when others look who is alive', async () => {
  let started = 0;
  const over = Promise.withResolvers<void>();
  const slow = {
    name: 'slow',
    attempts: 3,
    async run() {
      started += 1;
      await over.promise;
    },
  };
  const worker = await startWorker(partsOf(slow));
  await change((scope) => enqueue(scope.tx, slow, {}));
  await expect.poll(() => started).toBe(1);
  const roll = await openWorkerRegistry(hearth.database);
  const rows = await here.db
    .withSchema('jobs')
    .selectFrom('_private_jobs' as never)
    .select('locked_by' as never)
    .execute();
  await roll.close();
  over.resolve();
  await worker.stop();
  expect(rows).toMatchObject([{ locked_by: expect.stringMatching(/./) }]);
  expect(started).toBe(1);
});

test('running what is due leaves nothing undone in a queue, and nothing half written off', async () => {
  const done: number[] = [];
  const inTurn = {
    name: 'in-turn',
    attempts: 2,
    async run({ number }: { number: number }) {
      done.push(number);
      if (number === 19) throw new Error('the last one fails');
    },
  };
  await change(async (scope) => {
    for (let number = 0; number < 20; number++) await enqueue(scope.tx, inTurn, { number }, { queue: 'one' });
  });
  await runDueJobs(partsOf(inTurn));
  expect(done).toEqual(Array.from({ length: 20 }, (_, number) => number));
  const left = await here.db
    .withSchema('jobs')
    .selectFrom('_private_jobs' as never)
    .selectAll()
    .execute();
  expect(left).toMatchObject([{ locked_by: null, attempts: 1, last_error: 'the last one fails' }]);
});

test('many jobs of one account delay those of others by one at most, and keep their order', async () => {
  const done: string[] = [];
  const shared = {
    name: 'shared',
    attempts: 1,
    async run({ name }: { name: string }) {
      done.push(name);
    },
  };
  const [ada, bob] = [await here.user(), await here.user()];
  const add = (name: string, share: typeof ada.id) =>
    change((scope) => enqueue(scope.tx, shared, { name }, { queue: 'shared', share }));
  for (const name of ['ada 1', 'ada 2', 'ada 3']) await add(name, ada.id);
  for (const name of ['bob 1', 'bob 2']) await add(name, bob.id);
  await add('ada 4', ada.id);
  await runDueJobs(partsOf(shared));
  expect(done).toEqual(['ada 1', 'bob 1', 'ada 2', 'bob 2', 'ada 3', 'ada 4']);
});
