// What one owner of webhooks can take from the others: places for deliveries, and room in the database.

import type { ServerResponse } from 'node:http';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { startWorker } from '#jobs/worker.ts';
import { resourceLimits } from '#lib/limits.ts';
import { allLimits } from '#resources/all.ts';
import { removeOldDeliveries } from '#resources/platform/webhooks/jobs.ts';
import { type Receiver, receiver } from '#test/support/receiver.ts';
import { world } from '#test/support/world.ts';
import { deliveryLoop } from '#webhook-delivery/sender.ts';

const limits = {
  concurrent: 16,
  concurrentPerOwner: 4,
  sendTime: 120_000,
  requestedPerHook: 30,
  requestedPerOwner: 45,
  hooks: 12,
  waitingPerOwner: 50,
  repliesPerOwner: 20_000,
  largePayloads: 300_000,
};
const here = await world({ resourceLimits: { webhooks: limits } });

/** An organization with hooks at one receiver, none of which was sent anything yet. */
async function organization(hooks: number) {
  const owner = await here.user();
  const org = await here.org(owner);
  const client = await here.as(owner);
  const target = await receiver();
  const ids: number[] = [];
  for (let i = 0; i < hooks; i++) {
    const config = { url: `${target.url}/${i}`, content_type: 'json' };
    ids.push((await client.post(`/orgs/${org.login}/hooks`, { name: 'web', config, events: ['*'] })).body.id);
  }
  return { owner, org, client, target, ids, path: `/orgs/${org.login}/hooks` };
}

/** Stops answering; the function that is returned answers everything that waits, and all that follows. */
function hang(target: Receiver): () => void {
  const silent: ServerResponse[] = [];
  target.answer = (response) => silent.push(response);
  return () => {
    target.answer = (response) => response.end();
    for (const response of silent) response.end();
  };
}

/** A worker that runs until the test ends. */
async function working(): Promise<void> {
  const worker = await startWorker({ ...here.hearth.worker, jobs: [], loops: [deliveryLoop] });
  onTestFinished(() => worker.stop());
}

const makeDue = (org: Account, count: number) =>
  sql`
    insert into webhook_deliveries (owner_id, hook_id, payload_id, guid, event, due_at, created_at)
    select d.owner_id, d.hook_id, d.payload_id, gen_random_uuid(), 'ping', ${here.clock.now}, ${here.clock.now}
    from webhook_deliveries d cross join generate_series(1, ${count}::integer) where d.owner_id = ${org.id}`.execute(here.db);

const storedOf = (org: Account) =>
  here.db.selectFrom('webhook_deliveries').selectAll().where('owner_id', '=', org.id).orderBy('id').execute();
const payloadsOf = async (org: Account) => new Set((await storedOf(org)).map(({ payload_id }) => payload_id)).size;
const countPayloads = async () =>
  (await here.db.selectFrom('webhook_payloads').select(sql<number>`count(*)`.as('count')).executeTakeFirstOrThrow()).count;
const sweep = () => removeOldDeliveries.run({}, here.jobContext());

test('receivers that hang, and a long queue, hold their owner’s part of the places; another owner’s ping goes out meanwhile', async () => {
  const greedy = await organization(12);
  const other = await organization(1);
  await makeDue(greedy.org, 500);
  const answer = hang(greedy.target);
  onTestFinished(async () => {
    await here.db.deleteFrom('webhook_deliveries').where('owner_id', '=', greedy.org.id).execute();
  });
  await working();
  onTestFinished(answer); // before the worker stops, which waits for what is under way
  // New hooks may hold three of the four places: one is left for those that answer.
  await expect.poll(() => greedy.target.requests.length).toBe(3);
  await expect.poll(() => other.target.requests.length).toBe(1);
  for (let n = 2; n < 6; n++) {
    await other.client.post(`${other.path}/${other.ids[0]}/pings`);
    await expect.poll(() => other.target.requests.length).toBe(n);
  }
  expect(greedy.target.requests).toHaveLength(3);
  // None of the others waits: what has begun are the oldest of three different hooks.
  expect(new Set(greedy.target.requests.map(({ path }) => path)).size).toBe(3);
  await here.db.deleteFrom('webhook_deliveries').where('owner_id', '=', greedy.org.id).execute();
});

test('that a webhook fails is known to all processes; it gets one place until it succeeds', async () => {
  const { target, client, path, ids, org } = await organization(1);
  target.answer = (response) => response.writeHead(500).end();
  await here.settle();
  const failures = async () =>
    (await here.db.selectFrom('webhooks').select('failures').where('organization_id', '=', org.id).executeTakeFirstOrThrow())
      .failures;
  expect(await failures()).toBe(1);
  await makeDue(org, 5);
  const answer = hang(target);
  await working();
  onTestFinished(answer);
  await expect.poll(() => target.requests.length).toBe(2);
  await client.post(`${path}/${ids[0]}/pings`);
  expect(target.requests).toHaveLength(2);
  answer();
  await expect.poll(() => target.requests.length).toBe(7);
  await expect.poll(failures).toBe(0);
});

test('redeliveries refer to the payload of the first delivery', async () => {
  const { client, path, ids, org, target } = await organization(1);
  await here.settle();
  const [first] = (await client.get(`${path}/${ids[0]}/deliveries`)).body;
  const before = await countPayloads();
  for (let i = 0; i < 10; i++) expect((await client.post(`${path}/${ids[0]}/deliveries/${first.id}/attempts`)).status).toBe(202);
  await here.settle();
  expect(await countPayloads()).toBe(before);
  expect(await payloadsOf(org)).toBe(1);
  expect(new Set(target.requests.map(({ body }) => body)).size).toBe(1);
  expect(target.requests).toHaveLength(11);
  const [last] = (await client.get(`${path}/${ids[0]}/deliveries`)).body;
  const shown = (await client.get(`${path}/${ids[0]}/deliveries/${last.id}`)).body;
  expect(shown.request.payload).toEqual(JSON.parse(target.requests[0]?.body ?? ''));
});

test('all hooks that get an event share one payload', async () => {
  const { client, org, owner, target } = await organization(6);
  const repo = await here.repo(org, { by: owner });
  await here.settle();
  const before = await countPayloads();
  target.requests.length = 0;
  await client.post(`/repos/${org.login}/${repo.name}/issues`, { title: 'Seen by six', body: 'x'.repeat(60_000) });
  await here.settle();
  expect(target.requests).toHaveLength(6);
  expect(await countPayloads()).toBe(before + 1);
});

test('of large payloads, a limited number of bytes is stored in an hour; small ones go on', async () => {
  const { client, org, owner, ids, path } = await organization(1);
  const repo = await here.repo(org, { by: owner });
  await here.settle();
  const open = async (body: string) => {
    await client.post(`/repos/${org.login}/${repo.name}/issues`, { title: 'Large', body });
    await here.settle();
    return (await client.get(`${path}/${ids[0]}/deliveries`)).body[0].status_code;
  };
  const codes: number[] = [];
  for (const body of ['é'.repeat(60_000), 'é'.repeat(60_000), 'é'.repeat(60_000), 'small']) codes.push(await open(body));
  expect(codes).toEqual([200, 200, 413, 200]);
});

test.each([
  { what: 'redeliveries', to: (id: number) => `deliveries/${id}/attempts`, cost: 1 },
  { what: 'pings', to: () => 'pings', cost: 1 },
])('$what of a hook are refused past the limit, and change nothing', async ({ to, cost }) => {
  const { client, path, ids } = await organization(1);
  await here.settle();
  const [first] = (await client.get(`${path}/${ids[0]}/deliveries`)).body;
  const ask = () => client.post(`${path}/${ids[0]}/${to(first.id)}`);
  for (let used = 0; used < limits.requestedPerHook; used += cost) expect((await ask()).status).toBeLessThan(300);
  await here.unchanged(['webhook_deliveries', 'webhook_payloads'], async () => {
    const refused = await ask();
    expect(refused.status).toBe(429);
    expect(refused.body.message).toBe(
      'At most 30 redeliveries and pings may be asked for in an hour (webhooks.requestedPerHook).',
    );
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3_000);
  });
});

test('all hooks of an owner share a limit of redeliveries and pings', async () => {
  const { client, path, ids } = await organization(2);
  await here.settle();
  const ping = async (hook: number) => (await client.post(`${path}/${hook}/pings`)).status;
  for (const [at, count] of [25, 20].entries()) for (let i = 0; i < count; i++) expect(await ping(ids[at] ?? 0)).toBe(204);
  const refused = await client.post(`${path}/${ids[1]}/pings`);
  expect(refused).toMatchObject({ status: 429, body: { message: expect.stringContaining('webhooks.requestedPerOwner') } });
});

test('an organization has a limited number of hooks, however few events they listen for', async () => {
  const { client, path } = await organization(limits.hooks);
  await here.settle();
  await here.unchanged(['webhooks', 'webhook_deliveries', 'events'], async () => {
    const refused = await client.post(path, { name: 'web', config: { url: 'https://one.more.example' }, events: [] });
    expect(refused).toMatchObject({ status: 422, body: { message: expect.stringContaining('webhooks.hooks') } });
  });
});

test('of the replies of an owner’s receivers, a limited number of bytes is kept in an hour', async () => {
  const { client, path, ids, org, target } = await organization(1);
  target.answer = (response) => response.end('r'.repeat(8_000));
  await here.settle();
  for (let i = 0; i < 5; i++) await client.post(`${path}/${ids[0]}/pings`);
  await here.settle();
  const kept = (await storedOf(org)).map((row) => row.response_body?.length ?? 0);
  expect(kept.filter((length) => length === 8_000).length).toBeGreaterThan(1);
  expect(kept).toContain(0);
  expect((await storedOf(org)).map(({ status_code }) => status_code)).toEqual(Array(6).fill(200));
});

test('a payload is removed with the last delivery that refers to it', async () => {
  const { client, path, ids, org } = await organization(1);
  await here.settle();
  const [row] = await storedOf(org);
  if (!row) throw new Error('The ping was recorded');
  const isThere = async () =>
    (await here.db.selectFrom('webhook_payloads').select('id').where('id', '=', row.payload_id).execute()).length === 1;
  const before = here.clock.now;
  onTestFinished(() => {
    here.clock.now = before;
  });
  here.clock.now = new Date(before.getTime() + 6 * 86_400_000);
  await client.post(`${path}/${ids[0]}/deliveries/${row.id}/attempts`);
  await here.settle();
  here.clock.now = new Date(before.getTime() + 8 * 86_400_000);
  await sweep();
  expect(await storedOf(org)).toHaveLength(1);
  expect(await isThere()).toBe(true);
  here.clock.now = new Date(before.getTime() + 14 * 86_400_000);
  await sweep();
  expect(await storedOf(org)).toHaveLength(0);
  expect(await isThere()).toBe(false);
});

test('past what an owner may store, the oldest deliveries are removed; past what may wait for failing hooks, the oldest are given up', async () => {
  const { client, path, ids, org } = await organization(1);
  await here.settle();
  for (let i = 0; i < 10; i++) await client.post(`${path}/${ids[0]}/pings`);
  await here.settle();
  const other = await organization(1);
  await here.settle();
  const bytes = (
    await here.db.selectFrom('webhook_payloads').select(sql<number>`max(octet_length(body))`.as('most')).executeTakeFirstOrThrow()
  ).most;
  const all = await storedOf(org);
  const { services } = here.hearth;
  const limited = {
    ...services,
    resourceLimits: resourceLimits(allLimits, { webhooks: { ...limits, storedPerOwner: bytes * 5 } }),
  };
  await removeOldDeliveries.run({}, here.jobContext({ services: limited }));
  const left = await storedOf(org);
  expect(left.length).toBeLessThan(8);
  expect(left.length).toBeGreaterThan(0);
  expect(left.map(({ id }) => id)).toEqual(all.slice(-left.length).map(({ id }) => id));
  expect(await storedOf(other.org)).toHaveLength(1);

  await here.db.updateTable('webhooks').set({ failures: 3 }).where('organization_id', '=', other.org.id).execute();
  await makeDue(other.org, 60);
  await sweep();
  const rows = await storedOf(other.org);
  expect(rows.filter(({ due_at }) => due_at !== null)).toHaveLength(50);
  expect(rows.slice(1, 11).every(({ status_code, status }) => status_code === 503 && status?.includes('not sent'))).toBe(true);
});
