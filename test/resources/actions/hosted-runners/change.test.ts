import { expect, test } from 'vitest';
import { completeDeletions } from '#test/resources/platform/organization-deletion/support.ts';
import { world } from '#test/support/world.ts';
import { addressProvider, groupOf, setting } from './setting.ts';

await world({ runners: { provider: addressProvider } });

const wanted = { name: 'builder', image: { id: 'ubuntu-24.04', source: 'service' }, size: '4-core' };

async function made(more: object = {}) {
  const place = await setting();
  const { client, group, here, path } = place;
  const { body } = await client.post(path, { ...wanted, runner_group_id: group, ...more });
  await here.settle();
  return { ...place, runner: `${path}/${body.id}`, id: body.id };
}

test('what is named changes, and what is not named stays', async () => {
  const { client, runner } = await made();
  const { body: before } = await client.get(runner);

  const renamed = await client.patch(runner, { name: 'Builder', image_gen: true });
  expect(renamed).toMatchObject({ status: 200 });
  expect(renamed.body).toEqual({ ...before, name: 'Builder', image_gen: true });
  expect((await client.patch(runner, {})).body).toEqual(renamed.body);
  expect((await client.get(runner)).body).toEqual(renamed.body);
});

test('another machine is provisioned anew', async () => {
  const { here, client, runner } = await made();

  const changed = await client.patch(runner, { size: '8-core', image_id: 'windows-2025', image_source: 'service' });
  expect(changed.body).toMatchObject({
    status: 'Provisioning',
    platform: 'win-x64',
    image: { id: 'windows-2025', size: 256 },
    machine_size_details: { id: '8-core', storage_gb: 300 },
  });
  await here.settle();
  expect((await client.get(runner)).body).toEqual({ ...changed.body, status: 'Ready' });
});

test('the same machine once more is left as it is', async () => {
  const { client, runner } = await made();
  const same = {
    size: '4-core',
    image_id: 'ubuntu-24.04',
    image_source: 'service',
    maximum_runners: 10,
    enable_static_ip: false,
  };
  expect((await client.patch(runner, same)).body.status).toBe('Ready');
});

test.each<[object, string]>([
  [{ name: '' }, 'name'],
  [{ name: 'a/b' }, 'name'],
  [{ name: null }, 'name'],
  [{ runner_group_id: 999_999 }, 'runner_group_id'],
  [{ maximum_runners: 1001 }, 'maximum_runners'],
  [{ maximum_runners: -1 }, 'maximum_runners'],
  [{ enable_static_ip: 1 }, 'enable_static_ip'],
  [{ size: 'huge' }, 'size'],
  [{ size: '2-core', image_id: 'windows-2025' }, 'size'],
  [{ image_id: 'ubuntu-24.04-arm', image_source: 'partner', size: '96-core' }, 'size'],
  [{ image_source: 'partner' }, 'image_source'],
  [{ image_source: 'elsewhere' }, 'image_source'],
  [{ image_id: 'ubuntu-22.04', image_source: 'custom' }, 'image_source'],
  [{ image_id: 'ubuntu-24.04-arm', image_source: 'service' }, 'image_source'],
  [{ image_id: 'beos-5' }, 'image_id'],
  [{ image_id: '77', image_source: 'custom' }, 'image_id'],
  [{ image_id: 7 }, 'image_id'],
  [{ image_version: 1 }, 'image_version'],
  [{ image_version: '1.0.0' }, 'image_version'],
  [{ image_id: 'ubuntu-22.04', image_source: 'service', image_version: '1.0.0' }, 'image_version'],
  [{ image_source: 'service', image_version: 'newest' }, 'image_version'],
  [{ image_gen: 'yes' }, 'image_gen'],
])('refuses %o, naming the field, and writes nothing', async (wrong, field) => {
  const { here, client, runner } = await made();
  await here.unchanged(['hosted_runners', 'events'], async () => {
    const reply = await client.patch(runner, wrong);
    expect(reply).toMatchObject({ status: 422, body: { errors: [{ resource: 'HostedRunner', field }] } });
  });
});

test('a name that another runner has is refused; its own is not', async () => {
  const { client, group, path, runner } = await made();
  await client.post(path, { ...wanted, name: 'other', runner_group_id: group });
  const taken = await client.patch(runner, { name: 'Other' });
  expect(taken).toMatchObject({ status: 422, body: { errors: [{ field: 'name', code: 'already_exists' }] } });
  expect((await client.patch(runner, { name: 'builder' })).status).toBe(200);
});

test('a static address beyond the limit is refused, and one that is there counts once', async () => {
  const { client, group, path, runner } = await made();
  for (let i = 0; i < 10; i++)
    await client.post(path, { ...wanted, name: `r${i}`, runner_group_id: group, enable_static_ip: true });
  const refused = await client.patch(runner, { enable_static_ip: true });
  expect(refused).toMatchObject({ status: 422, body: { errors: [{ field: 'enable_static_ip' }] } });
  const { body } = await client.get(path);
  expect((await client.patch(`${path}/${body.runners[5].id}`, { enable_static_ip: true })).status).toBe(200);
});

test('a deleted runner is being deleted, then gone; its name is free at once', async () => {
  const { here, client, group, path, runner } = await made();
  const { body: before } = await client.get(runner);

  const deleted = await client.delete(runner);
  expect(deleted).toMatchObject({ status: 202 });
  expect(deleted.body).toEqual({ ...before, status: 'Deleting' });
  expect(await client.delete(runner)).toMatchObject({ status: 202, body: { status: 'Deleting' } });
  expect((await client.get(runner)).body.status).toBe('Deleting');
  expect(await client.patch(runner, { name: 'late' })).toMatchObject({
    status: 422,
    body: { message: 'The runner builder is being deleted' },
  });
  const next = await client.post(path, { ...wanted, name: 'Builder', runner_group_id: group });
  expect(next).toMatchObject({ status: 201, body: { name: 'Builder' } });
  const third = await client.post(path, { ...wanted, name: 'third', runner_group_id: group });
  expect((await client.patch(`${path}/${third.body.id}`, { name: 'builder' })).status).toBe(422);

  await here.settle();
  expect((await client.get(runner)).status).toBe(404);
  expect((await client.delete(runner)).status).toBe(404);
  const { body: left } = await client.get(path);
  expect(left.runners.map(({ id, name }: { id: number; name: string }) => [id, name])).toEqual([
    [next.body.id, 'Builder'],
    [third.body.id, 'third'],
  ]);
});

test('a runner can be renamed to the name of one that is being deleted, and be deleted beside it', async () => {
  const { here, client, group, path, runner } = await made();
  const { body: other } = await client.post(path, { ...wanted, name: 'other', runner_group_id: group });
  await client.delete(runner);
  expect(await client.patch(`${path}/${other.id}`, { name: 'builder' })).toMatchObject({
    status: 200,
    body: { name: 'builder' },
  });
  expect((await client.delete(`${path}/${other.id}`)).status).toBe(202);
  await here.settle();
  expect((await client.get(path)).body).toEqual({ total_count: 0, runners: [] });
});

test('a runner is deleted before it was ever ready', async () => {
  const { here, client, group, path } = await setting();
  const { body } = await client.post(path, { ...wanted, runner_group_id: group });
  await client.delete(`${path}/${body.id}`);
  await here.settle();
  expect((await client.get(`${path}/${body.id}`)).status).toBe(404);
});

test('another organization’s runner reads like one that is not there', async () => {
  const { here, owner, client, id } = await made();
  const other = await here.org(owner);
  const elsewhere = `/orgs/${other.login}/actions/hosted-runners/${id}`;
  const absent = await client.get(`/orgs/${other.login}/actions/hosted-runners/999999`);
  for (const reply of [await client.get(elsewhere), await client.patch(elsewhere, { name: 'x' }), await client.delete(elsewhere)])
    expect({ status: reply.status, body: reply.body }).toEqual({ status: 404, body: absent.body });
  expect((await client.get(`/orgs/${other.login}/actions/hosted-runners/one`)).status).toBe(404);
  expect(await groupOf(here, other)).toBeGreaterThan(0);
});

test('an organization goes with its runners', async () => {
  const { here, client, org, id } = await made();
  expect((await client.delete(`/orgs/${org.login}`)).status).toBe(202);
  await completeDeletions(here);
  const left = await here.db.selectFrom('hosted_runners').select('id').where('id', '=', id).execute();
  expect(left).toEqual([]);
});
