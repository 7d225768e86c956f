import { expect, test } from 'vitest';
import { addSeconds } from '#lib/time.ts';
import { receiver } from '#test/support/receiver.ts';
import { world } from '#test/support/world.ts';

// Three attempts follow a failure by themselves here; by default none does, as the other tests show.
const here = await world({ webhooks: { allow: ['127.0.0.0/8'], retries: 3 } });

async function hook() {
  const owner = await here.user();
  const org = await here.org(owner);
  const target = await receiver();
  const client = await here.as(owner);
  const { body } = await client.post(`/orgs/${org.login}/hooks`, { name: 'web', config: { url: target.url } });
  await here.settle();
  const path = `/orgs/${org.login}/hooks/${body.id}`;
  return {
    target,
    path,
    client,
    id: body.id,
    deliveries: async () => (await client.get(`${path}/deliveries`)).body,
    ping: async () => {
      await client.post(`${path}/pings`);
      await here.settle();
    },
    pass: async (seconds: number) => {
      here.clock.now = addSeconds(here.clock.now, seconds);
      await here.settle();
    },
    breaker: () =>
      here.db.selectFrom('webhooks').select(['failures', 'paused_until']).where('id', '=', body.id).executeTakeFirstOrThrow(),
  };
}

test('a failure is tried again after growing pauses, under the same GUID, until it is given up', async () => {
  const { target, deliveries, ping, pass } = await hook();
  target.answer = (response) => response.writeHead(503).end();
  await ping();
  const counts = [target.requests.length];
  for (const seconds of [20, 15, 90, 45, 400, 150, 100_000]) {
    await pass(seconds);
    counts.push(target.requests.length);
  }
  expect(counts).toEqual([2, 2, 3, 3, 4, 4, 5, 5]);
  const shown = (await deliveries()).slice(0, 4);
  expect(new Set(shown.map((one: { guid: string }) => one.guid)).size).toBe(1);
  expect(shown.map((one: { redelivery: boolean }) => one.redelivery)).toEqual([true, true, true, false]);
});

test('what succeeds at last is not tried again', async () => {
  const { target, ping, pass, deliveries } = await hook();
  target.answer = (response) => response.writeHead(500).end();
  await ping();
  target.answer = (response) => response.end();
  await pass(40);
  await pass(100_000);
  expect((await deliveries()).map((one: { status_code: number }) => one.status_code)).toEqual([200, 500, 200]);
});

test.each([400, 401, 404, 410, 422])('a receiver that says %d means it', async (status) => {
  const { target, ping, pass } = await hook();
  target.answer = (response) => response.writeHead(status).end();
  await ping();
  await pass(100_000);
  expect(target.requests).toHaveLength(2);
});

test('after ten failures in a row deliveries wait, and say since when; a success opens the way again', async () => {
  const { target, ping, pass, breaker, deliveries, client, path } = await hook();
  target.answer = (response) => response.writeHead(500).end();
  for (let i = 0; i < 10; i++) await ping();
  const paused = await breaker();
  expect(paused.failures).toBe(10);
  expect(paused.paused_until).toEqual(addSeconds(here.clock.now, 60));

  const sent = target.requests.length;
  await ping();
  expect(target.requests).toHaveLength(sent);
  const throttledAt = `${here.clock.now.toISOString().slice(0, 19)}Z`;
  target.answer = (response) => response.end();
  await pass(61);
  expect(target.requests.length).toBeGreaterThan(sent);
  expect((await deliveries()).some((one: { throttled_at: string | null }) => one.throttled_at === throttledAt)).toBe(true);
  expect(await breaker()).toEqual({ failures: 0, paused_until: null });

  await client.patch(path, { active: true });
  await ping();
  expect((await deliveries())[0]).toMatchObject({ status_code: 200, throttled_at: null });
});

test('a breaker that opens again waits twice as long, an hour at most', async () => {
  const { target, ping, pass, breaker, id } = await hook();
  target.answer = (response) => response.writeHead(500).end();
  await here.db.updateTable('webhooks').set({ failures: 10 }).where('id', '=', id).execute();
  await ping();
  expect((await breaker()).paused_until).toEqual(addSeconds(here.clock.now, 120));
  await here.db.updateTable('webhooks').set({ failures: 500, paused_until: null }).where('id', '=', id).execute();
  await pass(0);
  await ping();
  expect((await breaker()).paused_until).toEqual(addSeconds(here.clock.now, 3600));
});

test('one hook’s breaker is not another’s', async () => {
  const [broken, healthy] = [await hook(), await hook()];
  broken.target.answer = (response) => response.writeHead(500).end();
  for (let i = 0; i < 11; i++) await broken.ping();
  await healthy.ping();
  expect(healthy.target.requests).toHaveLength(2);
});
