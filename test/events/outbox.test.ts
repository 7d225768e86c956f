import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import pino from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { countStatements } from '#database/client.ts';
import { openSessionLocks } from '#database/session-locks.ts';
import { type JobContext, jobContext } from '#endpoint/job-context.ts';
import type { Loader } from '#endpoint/loaders.ts';
import { deliveryJobs } from '#events/delivery-jobs.ts';
import { dispatchNext } from '#events/dispatch.ts';
import { sharedLaneOf } from '#events/lanes.ts';
import { outboxLoop } from '#events/outbox-loop.ts';
import { nextBatch } from '#events/outbox-store.ts';
import { type Event, record, recordAll } from '#events/record.ts';
import { batchSubscription, type Recorded, type Subscriber, subscription } from '#events/subscription.ts';
import { enqueueAll, type Job } from '#jobs/job.ts';
import { runDueJobs, startWorker } from '#jobs/worker.ts';
import { addSeconds } from '#lib/time.ts';
import { allSubscriptions } from '#resources/all.ts';
import { fresh, world } from '#test/support/world.ts';

const here = await world();
const { db, hearth } = here;
const log = pino({ level: 'silent' });

type Added = Recorded<'member.added'>;

type Run = (events: readonly Added[], context: JobContext) => Promise<void>;

const listener = (runAll: Run) =>
  batchSubscription<'member.added', JobContext>({ name: `test.${randomUUID()}`, on: ['member.added'], attempts: 3, runAll });

const subscribersOf = new Map<object, readonly Subscriber<JobContext>[]>();

/** A worker's parts for these subscriptions alone, as a process of its own has them. */
function partsFor(...subscribers: Subscriber<JobContext>[]) {
  return partsWith({}, ...subscribers);
}

function partsWith(more: { patience?: number }, ...subscribers: Subscriber<JobContext>[]) {
  const locks = openSessionLocks(hearth.worker.database.clientConfig, 'test');
  onTestFinished(() => locks.close());
  const jobs = deliveryJobs(subscribers);
  subscribersOf.set(jobs, subscribers);
  return { ...hearth.worker, jobs, loops: [outboxLoop(subscribers, { locks, contextOf: jobContext, ...more })], log };
}

async function organization(): Promise<Event['owner']> {
  const { id } = await here.org(await here.user());
  await here.settle();
  return id;
}

const eventOf = (owner: Event['owner']): Event<'member.added'> => ({
  kind: 'member.added',
  owner,
  actor: owner,
  at: here.clock.now,
  data: { user: owner, role: 'member' },
});

const recordMany = (owner: Event['owner'], count: number) =>
  here.change((scope) =>
    recordAll(
      scope.tx,
      Array.from({ length: count }, () => eventOf(owner)),
    ),
  );

const idsOf = async (owner: Event['owner']): Promise<number[]> => {
  const rows = await db
    .selectFrom('events')
    .select('id')
    .where('owner_id', '=', owner)
    .where('kind', '=', 'member.added')
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
};

const ids = (events: readonly Added[]): number[] => events.map(({ id }) => id);

/** Dispatches all events, and delivers none of them. */
async function dispatch({ jobs }: ReturnType<typeof partsFor>): Promise<void> {
  const subscribers = subscribersOf.get(jobs) ?? [];
  while ((await here.change((scope) => dispatchNext(scope.tx, subscribers))).events > 0);
}

/** What waits in all lanes, or in those of a subscription alone. */
async function waiting(subscriber?: { name: string }): Promise<number> {
  const rows = db.selectFrom('event_deliveries').select('event_id');
  return (await (subscriber ? rows.where('lane', 'like', `${subscriber.name}%`) : rows).execute()).length;
}

const jobsOf = async ({ name }: { name: string }) =>
  (await sql<{ attempts: number }>`select attempts from jobs.jobs where task_identifier = ${name}`.execute(db)).rows;

test('many events come at once, in their order', async () => {
  const owner = await organization();
  const batches: number[][] = [];
  const subscriber = listener(async (events) => void batches.push(ids(events)));
  await recordMany(owner, 450);
  await runDueJobs(partsFor(subscriber));
  expect(batches.map(({ length }) => length)).toEqual([200, 200, 50]);
  expect(batches.flat()).toEqual(await idsOf(owner));
});

test('a batch that holds an event which can’t be delivered delivers all the others, and tries that one again by itself', async () => {
  const owner = await organization();
  const told: number[] = [];
  await recordMany(owner, 100);
  const all = await idsOf(owner);
  const poisonous = new Set([all[17], all[61]]);
  let isCured = false;
  const subscriber = listener(async (events) => {
    if (!isCured && events.some(({ id }) => poisonous.has(id))) throw new Error('it can’t be delivered');
    told.push(...ids(events));
  });
  const parts = partsFor(subscriber);
  await runDueJobs(parts);
  expect(told).toEqual(all.filter((id) => !poisonous.has(id)));
  expect(await waiting()).toBe(0);
  expect(await jobsOf(subscriber)).toEqual([{ attempts: 1 }, { attempts: 1 }]);

  isCured = true;
  await sql`update jobs._private_jobs set run_at = now() where last_error is not null`.execute(db);
  await runDueJobs(parts);
  expect(told.slice(-2).sort((a, b) => a - b)).toEqual([...poisonous]);
  expect(await jobsOf(subscriber)).toEqual([]);
});

test('a subscription that fails holds up no other', async () => {
  const owner = await organization();
  const told: number[] = [];
  const broken = listener(() => Promise.reject(new Error('it never works')));
  const sound = listener(async (events) => void told.push(...ids(events)));
  await recordMany(owner, 10);
  await runDueJobs(partsFor(broken, sound));
  expect(told).toEqual(await idsOf(owner));
  expect(await jobsOf(broken)).toHaveLength(10);
});

test('what an interrupted batch left is delivered one by one, and what ends the process again and again gets a job', async () => {
  const owner = await organization();
  const batches: number[][] = [];
  const subscriber = listener(async (events) => void batches.push(ids(events)));
  await recordMany(owner, 6);
  const all = await idsOf(owner);
  const parts = partsFor(subscriber);
  await dispatch(parts);
  const lane = sharedLaneOf(eventOf(owner) as Recorded);
  // Two processes that end in the midst of their batches.
  const sizeOfNext = async () => (await nextBatch(db, lane, { delivered: [], limit: 4 })).batch.length;
  expect(await sizeOfNext()).toBe(4);
  expect(await sizeOfNext()).toBe(1);
  await runDueJobs(parts);
  // The first one was begun twice in vain: a job delivered it, after the batches.
  expect(batches).toEqual([[all[1]], [all[2]], [all[3]], [all[4], all[5]], [all[0]]]);
  expect(await waiting()).toBe(0);
});

test('an event whose transaction ends after that of a later one is delivered', async () => {
  const owner = await organization();
  const told: number[] = [];
  const subscriber = listener(async (events) => void told.push(...ids(events)));
  const parts = partsFor(subscriber);
  await here.change(async (scope) => {
    await record(scope.tx, eventOf(owner));
    await sql`select 1`.execute(scope.tx); // `record` doesn't wait until the event has its id
    await recordMany(owner, 2); // in another transaction
    await runDueJobs(parts);
    expect(told).toHaveLength(2);
  });
  await runDueJobs(parts);
  const [first, ...others] = await idsOf(owner);
  expect(told).toEqual([...others, first]);
});

test('owners take turns: one event of a quiet owner doesn’t wait for the many of a busy one', async () => {
  const busy = await organization();
  let quiet = await organization();
  while (sharedLaneOf(eventOf(quiet) as Recorded) !== sharedLaneOf(eventOf(busy) as Recorded)) quiet = await organization();
  const told: number[] = [];
  const subscriber = listener(async (events) => void told.push(...events.map(({ owner }) => owner)));
  await recordMany(busy, 1_500);
  await recordMany(quiet, 2);
  const parts = partsFor(subscriber);
  await runDueJobs(parts);
  expect(told).toHaveLength(1_502);
  expect(told.lastIndexOf(quiet)).toBeLessThan(200);
  expect(await waiting()).toBe(0);
});

test('jobs of an owner with thousands of events within a minute come after those of others', async () => {
  const [busy, quiet] = [await organization(), await organization()];
  const told: number[] = [];
  const subscriber = subscription<'member.added', JobContext>({
    name: `test.${randomUUID()}`,
    on: ['member.added'],
    attempts: 1,
    run: async ({ owner }) => void told.push(owner),
  });
  const parts = partsFor(subscriber);
  const priorities = async () => {
    await dispatch(parts);
    const { rows } = await sql<{ priority: number; count: number }>`
      select priority, count(*) from jobs.jobs where task_identifier = ${subscriber.name} group by priority
      order by priority`.execute(db);
    return Object.fromEntries(rows.map(({ priority, count }) => [priority, count]));
  };
  await recordMany(busy, 1_500);
  await recordMany(quiet, 1);
  // The organization's making was its first event: 99 more come first.
  expect(await priorities()).toEqual({ 0: 100, 1: 900, 2: 501 });
  await runDueJobs(parts);
  expect(told).toHaveLength(1_501);
  expect(told.indexOf(quiet)).toBeLessThan(120);
  here.clock.now = addSeconds(here.clock.now, 61);
  await recordMany(busy, 1);
  expect(await priorities()).toEqual({ 0: 1 });
  await runDueJobs(parts);
});

test('several processes deliver each event once, and those of an owner in their order', async () => {
  const owners = [await organization(), await organization(), await organization()];
  const told: Added[] = [];
  const underWay = new Map<string, number>();
  const subscriber = listener(async (events) => {
    const [first] = events;
    const lane = first ? sharedLaneOf(first) : '';
    expect(underWay.get(lane) ?? 0).toBe(0);
    underWay.set(lane, 1);
    await sql`select pg_sleep(0.002)`.execute(db);
    told.push(...events);
    underWay.set(lane, 0);
  });
  const workers = await Promise.all([1, 2, 3].map(() => startWorker(partsFor(subscriber))));
  onTestFinished(async () => void (await Promise.all(workers.map((worker) => worker.stop()))));
  for (let at = 0; at < 30; at++) await Promise.all(owners.map((owner) => recordMany(owner, 1 + (at % 4))));
  await expect.poll(() => told.length, { timeout: 20_000 }).toBe(3 * 73);
  for (const owner of owners) expect(ids(told.filter((event) => event.owner === owner))).toEqual(await idsOf(owner));
  await expect.poll(() => waiting()).toBe(0);
});

test('a lane whose connection is lost goes on with another', async () => {
  const owner = await organization();
  const told: number[] = [];
  const subscriber = listener(async (events) => {
    told.push(...ids(events));
    if (told.length > 1) return;
    await recordMany(owner, 2);
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'test'`.execute(db);
  });
  await recordMany(owner, 1);
  const worker = await startWorker(partsFor(subscriber));
  onTestFinished(() => worker.stop());
  await expect.poll(() => told, { timeout: 20_000 }).toHaveLength(3);
  expect(told).toEqual(await idsOf(owner));
});

test('a slow subscription delays no other, gets its events later in their order, and then comes along again', async () => {
  const owner = await organization();
  const told: number[] = [];
  const slowly: number[][] = [];
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  const slow = listener(async (events) => {
    if (slowly.length === 0) await over;
    slowly.push(ids(events));
  });
  const quick = listener(async (events) => void told.push(...ids(events)));
  const worker = await startWorker(partsWith({ patience: 20 }, slow, quick));
  onTestFinished(() => worker.stop());
  for (let at = 1; at <= 3; at++) {
    await recordMany(owner, 2);
    await expect.poll(() => told.length, { timeout: 20_000 }).toBe(2 * at);
  }
  await expect.poll(() => waiting(slow)).toBe(6);
  expect(slowly).toEqual([]);
  end();
  await expect.poll(() => slowly.flat().length, { timeout: 20_000 }).toBe(6);
  await expect.poll(() => waiting()).toBe(0);
  await recordMany(owner, 1);
  await expect.poll(() => slowly.flat(), { timeout: 20_000 }).toEqual(await idsOf(owner));
  expect(told).toEqual(await idsOf(owner));
});

test('a slow subscription that fails at last tries its events again, one by one where they fail', async () => {
  const owner = await organization();
  const told: number[] = [];
  await recordMany(owner, 3);
  const [first, bad, last] = await idsOf(owner);
  const slow = listener(async (events) => {
    await sql`select pg_sleep(0.1)`.execute(db);
    if (events.some(({ id }) => id === bad)) throw new Error('it can’t be delivered');
    told.push(...ids(events));
  });
  const worker = await startWorker(
    partsWith(
      { patience: 10 },
      slow,
      listener(async () => undefined),
    ),
  );
  onTestFinished(() => worker.stop());
  await expect.poll(() => told, { timeout: 20_000 }).toEqual([first, last]);
  await expect.poll(() => waiting()).toBe(0);
  await expect.poll(() => jobsOf(slow)).toHaveLength(1);
  await sql`delete from jobs._private_jobs`.execute(db);
});

test('a batch that the database interrupts while a subscription is slow is tried again, without overlapping runs', async () => {
  const owner = await organization();
  const quickly: number[] = [];
  const slowly: number[] = [];
  const atWork = { now: 0, most: 0 };
  const slow = listener(async (events) => {
    atWork.most = Math.max(atWork.most, ++atWork.now);
    await sql`select pg_sleep(${slowly.length === 0 ? 2.5 : 0})`.execute(db);
    slowly.push(...ids(events));
    atWork.now -= 1;
  });
  let isAway = true;
  const interrupted = listener(async (events) => {
    if (isAway) {
      isAway = false;
      throw Object.assign(new Error('terminating connection'), { code: '57P01' });
    }
    quickly.push(...ids(events));
  });
  await recordMany(owner, 2);
  const worker = await startWorker(partsWith({ patience: 10 }, slow, interrupted));
  onTestFinished(() => worker.stop());
  const all = await idsOf(owner);
  await expect.poll(() => quickly, { timeout: 20_000 }).toEqual(all);
  await expect.poll(() => slowly.slice(-2), { timeout: 20_000 }).toEqual(all);
  // Its own lane was given up: it gets later events too.
  await recordMany(owner, 1);
  const [last] = (await idsOf(owner)).slice(-1);
  await expect.poll(() => slowly.at(-1), { timeout: 20_000 }).toBe(last);
  expect(atWork.most).toBe(1);
  await expect.poll(() => waiting()).toBe(0);
});

test('subscriptions to an event share what they load', async () => {
  const owner = await organization();
  let loads = 0;
  const loader: Loader<string, string> = async (_scope, keys) => {
    loads += 1;
    return new Map(keys.map((key) => [key, key]));
  };
  const seen: (string | undefined)[] = [];
  const one = () => listener(async (_events, { scope }) => void seen.push(await scope.load(loader, 'thing')));
  await recordMany(owner, 2);
  await runDueJobs(partsFor(one(), one(), one()));
  expect(seen).toEqual(['thing', 'thing', 'thing']);
  expect(loads).toBe(1);
});

test('what issues start costs the same number of statements for few of them and for many', async () => {
  const ada = await here.user();
  const repo = await here.repo(ada);
  await here.db
    .insertInto('webhooks')
    .values({
      repository_id: repo.id,
      url: 'http://127.0.0.1:9/',
      events: ['issues'],
      content_type: 'json',
      base_url: 'http://hearth.example',
      created_at: here.clock.now,
      updated_at: here.clock.now,
    })
    .execute();
  const client = await here.as(ada);
  const issue = { title: 'The pump leaks', body: 'After rain', labels: ['bug'], assignees: [ada.login] };
  const loops = hearth.worker.loops?.filter(({ name }) => name === 'events.outbox') ?? [];
  const cost = async (issues: number): Promise<string[]> => {
    for (let at = 0; at < issues; at++) await client.post(`/repos/${ada.login}/${repo.name}/issues`, issue);
    const { statements } = await countStatements(() => runDueJobs({ ...hearth.worker, loops }));
    return statements;
  };
  await here.settle();
  const few = await cost(2);
  const many = await cost(15);
  expect(many.map(shape).sort()).toEqual(few.map(shape).sort());
  expect(few.length).toBeLessThan(80);
  const { rows } = await sql<{ told: number; indexed: number }>`
    select
      (select count(*) from webhook_deliveries d join webhooks h on h.id = d.hook_id where h.repository_id = ${repo.id}) as told,
      (select count(*) from issue_documents where repository_id = ${repo.id}) as indexed`.execute(db);
  expect(rows).toEqual([{ told: 3 * 17, indexed: 17 }]);
});

/** A statement without the number of its parameters. */
const shape = (text: string): string => text.replace(/\(\$\d+(, \$\d+)*\)/g, '($)').replace(/\s+/g, ' ');

test('an issue is found at once, while thousands of jobs and of events for another subscription wait', async () => {
  const ada = await here.user();
  const repo = await here.repo(ada);
  await here.settle();
  const client = await here.as(ada);
  const slow: Job<{ at: number }, JobContext> = {
    name: `slow.${randomUUID()}`,
    attempts: 1,
    run: async (_payload, context) => void (await sql`select pg_sleep(0.05)`.execute(context.db)),
  };
  const lame = listener(
    async (events, context) => void (await sql`select pg_sleep(${0.05 * events.length})`.execute(context.db)),
  );
  const parts = partsFor(lame, ...allSubscriptions);
  await here.change((scope) =>
    enqueueAll(
      scope.tx,
      slow,
      Array.from({ length: 10_000 }, (_, at) => ({ payload: { at } })),
    ),
  );
  await recordMany(ada.id, 2_000);
  await dispatch(parts);
  const worker = await startWorker({ ...parts, jobs: [...parts.jobs, slow] });
  onTestFinished(async () => {
    await worker.stop();
    await sql`select jobs.complete_jobs(array(select id from jobs.jobs where task_identifier = ${slow.name}))`.execute(db);
    await sql`delete from event_deliveries`.execute(db);
  });
  const word = fresh('crank').replace('-', 'x');
  await client.post(`/repos/${ada.login}/${repo.name}/issues`, { title: `The ${word} squeaks` });
  const found = async () => (await client.get(`/search/issues?q=${word}`)).body.total_count;
  await expect.poll(found, { timeout: 20_000, interval: 50 }).toBe(1);
  // The jobs and events take minutes.
  expect((await jobsOf(slow)).length).toBeGreaterThan(9_000);
  expect(await waiting(lame)).toBeGreaterThan(1_500);
});
