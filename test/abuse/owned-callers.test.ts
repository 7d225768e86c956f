// What an account owns uses the share of that account: its runners, jobs, keys and apps can't hold up others.
import { once } from 'node:events';
import { connect } from 'node:net';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { callerOf } from '#access/rate-limits.ts';
import { findSshKey } from '#access/ssh-keys.ts';
import { change } from '#database/connect.ts';
import { shareKeyOf } from '#lib/caller.ts';
import { asId } from '#lib/id.ts';
import { createRunnerToken } from '#resources/actions/runners/index.ts';
import { ci, ciPath, pushWorkflow } from '#test/resources/actions/workflow-runs/setting.ts';
import { runtimeToken } from '#test/support/in-job.ts';
import { startRunner } from '#test/support/runner-client.ts';
import { fresh, world } from '#test/support/world.ts';

const never = 300_000;
const here = await world({
  resourceLimits: {
    requests: {
      bodiesTogether: 3_000_000,
      bodiesPerCaller: 1_000_000,
      bodiesContendedTime: never,
      bodyTime: never,
      waitingTime: never,
      concurrent: 6,
      concurrentPerCaller: 2,
      concurrentSpare: 10,
      waiting: 3,
    },
  },
});
const ada = await here.user('ada');
const bob = await here.user('bob');
const asBob = await here.as(bob);
const bobsIssues = `/repos/bob/${(await here.repo(bob)).name}/issues`;
const { hostname, port } = new URL(here.url);
const protocol = '/api/actions/runner.v1.RunnerService';

/** The credentials of a new runner of a repository. */
async function register(repo: Awaited<ReturnType<typeof here.repo>>) {
  const { token } = await here.change((scope) =>
    createRunnerToken(scope, { repository: repo.id }, { purpose: 'registration', now: here.clock.now }),
  );
  const reply = await fetch(`${here.url}${protocol}/Register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: fresh('r'), token, labels: ['ubuntu-latest'], version: 'test' }),
  });
  const { runner } = (await reply.json()) as { runner: { uuid: string; token: string } };
  return { 'x-runner-uuid': runner.uuid, 'x-runner-token': runner.token };
}

/** Begins a message of a runner, and sends nothing of its million bytes. */
async function beginMessage(headers: Record<string, string>): Promise<void> {
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const lines = Object.entries({
    host: 'localhost',
    'content-type': 'application/proto',
    'content-length': 1_000_000,
    ...headers,
  });
  socket.write(`POST ${protocol}/UpdateLog HTTP/1.1\r\n${lines.map(([name, text]) => `${name}: ${text}\r\n`).join('')}\r\n`);
}

const locked = async (): Promise<number> => {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(here.hearth.worker.database.db);
  return rows[0]?.count ?? 0;
};

test('runners of one account that never end their messages leave room for the bodies of others', async () => {
  const repo = await here.repo(ada);
  const { bodies } = here.hearth.services.limiters;
  for (let number = 0; number < 4; number++) await beginMessage(await register(repo));
  await expect.poll(() => bodies.callers()).toEqual([{ key: `account:${ada.id}`, running: 1_000_000, waiting: 3 }]);
  expect((await asBob.post(bobsIssues, { title: 'a', body: 'x'.repeat(50_000) })).status).toBe(201);
});

test('reports of a runner wait for their turn as other requests do, and others are answered meanwhile', async () => {
  const repo = await here.repo(ada);
  await pushWorkflow(here, repo, { [ciPath]: ci });
  const credentials = await register(repo);
  const call = async (method: string, message: object) => {
    const headers = { ...credentials, 'content-type': 'application/json' };
    const reply = await fetch(`${here.url}${protocol}/${method}`, { method: 'POST', headers, body: JSON.stringify(message) });
    return { status: reply.status, body: (await reply.json()) as { task?: { id: string } } };
  };
  const { task } = (await call('FetchTask', { tasksVersion: '0' })).body;
  if (!task) throw new Error('No job');
  const { requests } = here.hearth.services.limiters;
  await expect.poll(() => requests.callers()).toEqual([]);
  const statuses: number[] = [];
  const report = async (): Promise<void> => void statuses.push((await call('UpdateTask', { state: { id: task.id } })).status);
  const all: Promise<void>[] = [];
  await change(here.db, async (tx) => {
    await sql`select from workflow_runs for update`.execute(tx);
    all.push(...Array.from({ length: 8 }, report));
    await expect.poll(() => statuses).toEqual([429, 429, 429]);
    expect(requests.callers()).toEqual([{ key: `account:${ada.id}`, running: 2, waiting: 3 }]);
    expect(await locked()).toBe(2);
    expect((await asBob.get('/user')).status).toBe(200);
  });
  await Promise.all(all);
  expect(statuses.filter((status) => status === 200)).toHaveLength(5);
  expect((await call('UpdateTask', { state: { id: task.id, result: 'RESULT_SUCCESS' } })).status).toBe(200);
});

test('jobs use the share of the account that owns their repository', async () => {
  const repo = await here.repo(ada);
  await pushWorkflow(here, repo, { [ciPath]: ci });
  const runner = await startRunner(here, repo);
  const task = await runner.fetch();
  if (!task) throw new Error('No job');
  const statuses: number[] = [];
  const call = async (): Promise<void> => {
    const { status, body } = await fetch(`${here.url}/twirp/github.actions.results.api.v1.CacheService/CreateCacheEntry`, {
      method: 'POST',
      headers: { authorization: `Bearer ${runtimeToken(task)}`, 'content-type': 'application/json' },
      body: JSON.stringify({ key: 'one', version: 'v' }),
    });
    await body?.cancel();
    statuses.push(status);
  };
  const all: Promise<void>[] = [];
  await change(here.db, async (tx) => {
    await sql`lock table caches in access exclusive mode`.execute(tx);
    all.push(...Array.from({ length: 8 }, call));
    await expect.poll(() => statuses).toEqual([429, 429, 429]);
    expect(here.hearth.services.limiters.requests.callers()).toEqual([{ key: `account:${ada.id}`, running: 2, waiting: 3 }]);
  });
  await Promise.all(all);
});

test('keys, installations and apps use the share of their owner', async () => {
  const repo = await here.repo(ada);
  const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPMoUZK8JYbmvtNz9ZNT1H3vYUlqJ9tVJqdNYu0pPvhB';
  expect((await (await here.as(ada)).post(`/repos/ada/${repo.name}/keys`, { title: 'k', key })).status).toBe(201);
  const row = await here.db.selectFrom('public_keys').select('fingerprint').executeTakeFirstOrThrow();
  const known = await findSshKey(here.db, row.fingerprint);
  const appId = asId<'apps'>(1);
  const viewers = [
    { grant: { kind: 'app_jwt', appId, ownerId: ada.id } } as const,
    { grant: { kind: 'client', appId, ownerId: ada.id } } as const,
    ...(known ? [known.viewer] : []),
  ];
  expect(viewers).toHaveLength(3);
  for (const viewer of viewers) {
    const caller = callerOf(viewer, '');
    expect(shareKeyOf(caller)).toBe(`account:${ada.id}`);
    expect(caller.key).not.toBe(`account:${ada.id}`);
  }
});
