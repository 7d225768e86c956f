import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { findLatestEvent } from '#events/read.ts';
import { takesBatches } from '#events/subscription.ts';
import { addSeconds } from '#lib/time.ts';
import { allSubscriptions } from '#resources/all.ts';
import { webhookLimits } from '#resources/platform/webhooks/limits.ts';
import { receiver } from '#test/support/receiver.ts';
import { world } from '#test/support/world.ts';
import { queueDeliveries } from '#webhook-delivery/queue.ts';
import { leaseDue, listDueHooks } from '#webhook-delivery/take.ts';

const here = await world();

async function hook(events: string[] = ['fork']) {
  const owner = await here.user();
  const repo = await here.repo(owner);
  const target = await receiver();
  await here.settle();
  const row = await here.db
    .insertInto('webhooks')
    .values({
      repository_id: repo.id,
      events,
      url: target.url,
      content_type: 'json',
      base_url: 'https://hearth.example',
      created_at: here.clock.now,
      updated_at: here.clock.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const queue = (count: number, payload = '{}') => {
    const wanted = Array.from({ length: count }, () => ({
      hooks: [row],
      guid: randomUUID(),
      event: 'fork',
      action: null,
      payload,
      maxBytes: webhookLimits.payload.value,
    }));
    return here.change((scope) => queueDeliveries(scope.tx, wanted, { now: here.clock.now }));
  };
  const rows = () => here.db.selectFrom('webhook_deliveries').selectAll().where('hook_id', '=', row.id).orderBy('id').execute();
  return { owner, repo, target, id: row.id, queue, rows };
}

/** Takes up to a number of due deliveries of each hook that has some, or of those that are named. */
async function take(count: number, only?: readonly [hook: number, count: number][]) {
  const { now } = here.clock;
  const { hooks } = await listDueHooks(here.db, { skip: [], from: undefined, now });
  const shares = hooks.map(({ owner_id: owner, hook_id: hook }) => ({
    owner,
    hook,
    count: only ? (only.find(([id]) => id === hook)?.[1] ?? 0) : count,
    ownerBytes: 1_000_000,
  }));
  return leaseDue(here.db, { shares, bytes: 1_000_000, now, until: addSeconds(now, 30) });
}

test('what a process took and never finished, another takes over', async () => {
  const { target, queue, rows } = await hook();
  await queue(3);
  const until = addSeconds(here.clock.now, 30);
  expect(await take(8)).toHaveLength(3);
  await here.settle();
  expect(target.requests).toEqual([]);
  here.clock.now = addSeconds(until, 1);
  await here.settle();
  expect(target.requests).toHaveLength(3);
  expect((await rows()).every(({ status_code, due_at }) => status_code === 200 && due_at === null)).toBe(true);
});

test('two processes that take at once take nothing twice', async () => {
  const { queue } = await hook();
  await queue(60);
  const until = addSeconds(here.clock.now, 30);
  const taken = await Promise.all(Array.from({ length: 6 }, () => take(50)));
  const ids = taken.flat().map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  here.clock.now = addSeconds(until, 1);
  await here.settle();
});

test('hooks without room are passed over, others get theirs, the oldest first', async () => {
  const [full, small, free] = [await hook(), await hook(), await hook()];
  for (const { queue } of [full, small, free]) await queue(20);
  const taken = await take(0, [
    [full.id, 0],
    [small.id, 2],
    [free.id, 8],
  ]);
  const counts = [full, small, free].map(({ id }) => taken.filter(({ hook_id }) => hook_id === id).length);
  expect(counts).toEqual([0, 2, 8]);
  here.clock.now = addSeconds(here.clock.now, 31);
  await here.settle();
});

test('a payload over 25 MiB is not sent, and recorded so', async () => {
  const { target, queue, rows, id, owner, repo } = await hook();
  await queue(1, JSON.stringify({ text: 'x'.repeat(25 * 1024 * 1024) }));
  await here.settle();
  expect(target.requests).toEqual([]);
  expect(await rows()).toMatchObject([{ status_code: 413, status: 'payload too large, not sent', due_at: null }]);
  const { body } = await (await here.as(owner)).get(`/repos/${owner.login}/${repo.name}/hooks/${id}/deliveries?status=failure`);
  expect(body).toMatchObject([{ status_code: 413 }]);
});

test('an event that is told again reaches a hook once', async () => {
  const { owner, repo, target, rows } = await hook(['repository']);
  await (await here.as(owner)).patch(`/repos/${owner.login}/${repo.name}`, { description: 'told' });
  await here.settle();
  const event = await findLatestEvent(here.db, repo.id, 'repository.updated');
  if (!event) throw new Error('The change was recorded');
  const fanOut = allSubscriptions.filter(takesBatches).find(({ name }) => name === 'webhooks.tell');
  for (let i = 0; i < 7; i++) await fanOut?.runAll([event as never], here.jobContext());
  await here.settle();
  expect(target.requests).toHaveLength(1);
  expect(await rows()).toHaveLength(1);
});

test('nothing is sent unsigned where the secret can’t be opened', async () => {
  const { id, target, queue, rows } = await hook();
  await here.db
    .updateTable('webhooks')
    .set({ secret_sealed: Buffer.from('sealed under another key') })
    .where('id', '=', id)
    .execute();
  await queue(1);
  await here.settle();
  expect(target.requests).toEqual([]);
  expect(await rows()).toMatchObject([{ due_at: null, status: "the hook's secret could not be read, not sent" }]);
});
