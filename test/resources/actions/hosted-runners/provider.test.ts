import { expect, test } from 'vitest';
import { runners } from '#cli/doctor/runners.ts';
import type { Config } from '#cli/settings.ts';
import { enqueue } from '#jobs/job.ts';
import { resumeRunners } from '#resources/actions/hosted-runners/jobs.ts';
import { noProvider, type Provider, type RunnerId, type RunnerOrder } from '#runner-providers/provider.ts';
import { world } from '#test/support/world.ts';
import { setting } from './setting.ts';

/** A provider of two machine rooms: one that works, and one that can be switched off. */
const orders: RunnerOrder[] = [];
const removed: RunnerId[] = [];
let isOff = false;
let meanwhile: (order: RunnerOrder) => Promise<unknown> = async () => undefined;
const provider: Provider = {
  ...noProvider,
  name: 'test',
  givesPublicIps: true,
  async provision(order) {
    orders.push(order);
    await meanwhile(order);
    if (isOff) throw new Error('the machine room is off');
    return { publicIps: order.staticIp ? ['203.0.113.16/28'] : [] };
  },
  async remove(runner) {
    if (isOff) throw new Error('the machine room is off');
    removed.push(runner);
  },
};
await world({ runners: { provider } });

const wanted = { name: 'builder', image: { id: 'ubuntu-24.04', source: 'service' }, size: '4-core' };

async function made(more: object = {}) {
  const place = await setting();
  const { client, group, path } = place;
  orders.length = 0;
  const { body } = await client.post(path, { ...wanted, runner_group_id: group, ...more });
  return { ...place, id: body.id, runner: `${path}/${body.id}` };
}

/** Makes every waiting job due. */
const hurry = ({ here }: Awaited<ReturnType<typeof setting>>) =>
  here.db
    .withSchema('jobs')
    .updateTable('_private_jobs' as never)
    .set({ run_at: new Date(0) } as never)
    .execute();

test('the provider gets the order and says which addresses the runner has', async () => {
  const { here, client, runner, id } = await made({ enable_static_ip: true, maximum_runners: 3 });
  await here.settle();
  expect(orders).toEqual([
    {
      id,
      name: 'builder',
      platform: 'linux-x64',
      image: { source: 'service', id: 'ubuntu-24.04', content: undefined },
      machine: { cpuCores: 4, memoryGb: 16, storageGb: 150 },
      maximumRunners: 3,
      staticIp: true,
    },
  ]);
  expect((await client.get(runner)).body).toMatchObject({
    status: 'Ready',
    public_ip_enabled: true,
    public_ips: [{ enabled: true, prefix: '203.0.113.16', length: 28 }],
  });
});

test('a runner that can’t be made is stuck, and ready once it can', async () => {
  const place = await made();
  isOff = true;
  await place.here.settle();
  expect((await place.client.get(place.runner)).body.status).toBe('Stuck');
  const findings = () => runners(place.here, { runnerProvider: 'process', data: '/nowhere' } as Config);
  expect(await findings()).toMatchObject({
    ok: false,
    detail: expect.stringMatching(`; stuck: ${place.org.login}/builder \\(the machine room is off\\)$`),
  });
  isOff = false;
  await hurry(place);
  await place.here.settle();
  expect((await place.client.get(place.runner)).body.status).toBe('Ready');
  expect(await findings()).toMatchObject({ ok: true, detail: expect.not.stringContaining('stuck') });
});

test('a runner whose work was given up is taken up again', async () => {
  const { here, client, runner } = await made();
  isOff = true;
  await here.settle();
  isOff = false;
  await here.db
    .withSchema('jobs')
    .deleteFrom('_private_jobs' as never)
    .execute();
  here.clock.now = new Date(here.clock.now.getTime() + 11 * 60_000);
  await here.change((scope) => enqueue(scope.tx, resumeRunners, {}));
  await here.settle();
  expect((await client.get(runner)).body.status).toBe('Ready');
});

test('a runner that can’t be taken away stays, and goes once it can', async () => {
  const place = await made();
  await place.here.settle();
  isOff = true;
  await place.client.delete(place.runner);
  await place.here.settle();
  expect((await place.client.get(place.runner)).body.status).toBe('Deleting');
  isOff = false;
  await hurry(place);
  await place.here.settle();
  expect((await place.client.get(place.runner)).status).toBe(404);
  expect(removed.filter((one) => one === place.id)).toHaveLength(1);
});

test('what was made of an older order does not count for a newer one', async () => {
  const { here, client, runner } = await made();
  meanwhile = async ({ machine }) => {
    if (machine.cpuCores === 4) expect((await client.patch(runner, { size: '8-core' })).status).toBe(200);
    else expect((await client.get(runner)).body.status).toBe('Provisioning');
  };
  await here.settle();
  meanwhile = async () => undefined;
  expect(orders.map(({ machine }) => machine.cpuCores)).toEqual([4, 8]);
  expect((await client.get(runner)).body).toMatchObject({ status: 'Ready', machine_size_details: { id: '8-core' } });
});

test('a runner that is deleted while it is made does not come back', async () => {
  const { here, client, runner, id } = await made();
  meanwhile = async () => expect((await client.delete(runner)).status).toBe(202);
  await here.settle();
  meanwhile = async () => undefined;
  expect((await client.get(runner)).status).toBe(404);
  expect(removed).toContain(id);
});
