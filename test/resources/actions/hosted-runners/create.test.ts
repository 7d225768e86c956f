import { expect, test } from 'vitest';
import { installApp } from '#test/support/apps.ts';
import { world } from '#test/support/world.ts';
import { addressProvider, groupOf, setting } from './setting.ts';

await world({ runners: { provider: addressProvider } });

const wanted = { name: 'builder', image: { id: 'ubuntu-24.04', source: 'service' }, size: '4-core' };

test('a runner is provisioned, then ready', async () => {
  const { here, client, group, path } = await setting();

  const reply = await client.post(path, { ...wanted, runner_group_id: group });
  expect(reply).toMatchObject({ status: 201 });
  expect(reply.body).toEqual({
    id: reply.body.id,
    name: 'builder',
    runner_group_id: group,
    platform: 'linux-x64',
    image: { id: 'ubuntu-24.04', size: 86, display_name: 'Ubuntu 24.04', source: 'service', version: 'latest' },
    machine_size_details: { id: '4-core', cpu_cores: 4, memory_gb: 16, storage_gb: 150 },
    status: 'Provisioning',
    maximum_runners: 10,
    public_ip_enabled: false,
    public_ips: [],
    last_active_on: null,
    image_gen: false,
  });

  await here.settle();
  expect((await client.get(`${path}/${reply.body.id}`)).body).toEqual({ ...reply.body, status: 'Ready' });
});

test('the list holds every runner of the organization and no other, in as many statements for many as for one', async () => {
  const { here, owner, client, group, path } = await setting();
  const other = await setting();
  await other.client.post(other.path, { ...wanted, runner_group_id: other.group });

  await client.post(path, { ...wanted, runner_group_id: group });
  const forOne = await here.statements(owner, path);
  for (let i = 0; i < 4; i++) await client.post(path, { ...wanted, name: `builder-${i}`, runner_group_id: group });
  const all = await client.get(path);
  expect(all.body.total_count).toBe(5);
  expect(all.body.runners.map(({ name }: { name: string }) => name)).toEqual([
    'builder',
    'builder-0',
    'builder-1',
    'builder-2',
    'builder-3',
  ]);
  expect(await here.statements(owner, path)).toBe(forOne);
  const second = await client.get(`${path}?per_page=2&page=2`);
  expect(second.body.runners.map(({ name }: { name: string }) => name)).toEqual(['builder-1', 'builder-2']);
  expect(second.headers.link).toContain('page=3');
});

test.each<[object, string, string]>([
  [{ name: undefined }, 'name', 'missing_field'],
  [{ name: '' }, 'name', 'invalid'],
  [{ name: 'x'.repeat(65) }, 'name', 'invalid'],
  [{ name: 'with space' }, 'name', 'invalid'],
  [{ name: 'line\n' }, 'name', 'invalid'],
  [{ name: 7 }, 'name', 'invalid'],
  [{ image: undefined }, 'image', 'missing_field'],
  [{ image: 'ubuntu-24.04' }, 'image', 'invalid'],
  [{ image: null }, 'image', 'invalid'],
  [{ image: { source: 'service' } }, 'image.id', 'missing_field'],
  [{ image: { id: 'beos-5', source: 'service' } }, 'image.id', 'invalid'],
  [{ image: { id: '1', source: 'custom' } }, 'image.id', 'invalid'],
  [{ image: { id: 'ubuntu-24.04', source: 'partner' } }, 'image.source', 'invalid'],
  [{ image: { id: 'ubuntu-24.04', source: 'elsewhere' } }, 'image.source', 'invalid'],
  [{ image: { id: 'ubuntu-24.04' } }, 'image.source', 'missing_field'],
  [{ image: { id: 'ubuntu-24.04', source: 'service', version: '1.0.0' } }, 'image.version', 'invalid'],
  [{ image: { id: 'ubuntu-24.04-arm', source: 'partner', version: '1.0.0' } }, 'image.version', 'invalid'],
  [{ image: { id: 'ubuntu-24.04', source: 'service', version: 'newest' } }, 'image.version', 'invalid'],
  [{ size: undefined }, 'size', 'missing_field'],
  [{ size: '5-core' }, 'size', 'invalid'],
  [{ size: ['4-core'] }, 'size', 'invalid'],
  [{ image: { id: 'ubuntu-24.04-arm', source: 'partner' }, size: '96-core' }, 'size', 'invalid'],
  [{ image: { id: 'windows-2025', source: 'service' }, size: '2-core' }, 'size', 'invalid'],
  [{ runner_group_id: undefined }, 'runner_group_id', 'missing_field'],
  [{ runner_group_id: 999_999 }, 'runner_group_id', 'invalid'],
  [{ runner_group_id: 0 }, 'runner_group_id', 'invalid'],
  [{ runner_group_id: '1' }, 'runner_group_id', 'invalid'],
  [{ maximum_runners: 0 }, 'maximum_runners', 'invalid'],
  [{ maximum_runners: 1001 }, 'maximum_runners', 'invalid'],
  [{ enable_static_ip: 'yes' }, 'enable_static_ip', 'invalid'],
  [{ image_gen: null }, 'image_gen', 'invalid'],
])('refuses %o, naming the field, and writes nothing', async (wrong, field, code) => {
  const { here, client, group, path } = await setting();
  await here.unchanged(['hosted_runners', 'events'], async () => {
    const reply = await client.post(path, { ...wanted, runner_group_id: group, ...wrong });
    expect(reply).toMatchObject({ status: 422, body: { errors: [{ resource: 'HostedRunner', field, code }] } });
  });
});

test.each([null, '', 'latest'])('an image of the catalogue has one version, the latest: %o', async (version) => {
  const { client, group, path } = await setting();
  const image = { id: 'ubuntu-24.04', source: 'service', version };
  const { status, body } = await client.post(path, { ...wanted, image, runner_group_id: group });
  expect({ status, version: body.image?.version }).toEqual({ status: 201, version: 'latest' });
  const named = await client.patch(`${path}/${body.id}`, { image_version: version });
  expect(named).toMatchObject({ status: 200, body: { image: { id: 'ubuntu-24.04', version: 'latest' } } });
});

test('each size of the catalogue holds an image of the service', async () => {
  const { client, group, path } = await setting();
  const { body } = await client.get(`${path}/machine-sizes`);
  const [image] = (await client.get(`${path}/images/service-owned`)).body.images;
  const sizes: string[] = body.machine_specs.map(({ id }: { id: string }) => id);
  const statuses = await Promise.all(
    sizes.map(async (size) => {
      const runner = { name: size, image: { id: image.id, source: 'service' }, size, runner_group_id: group };
      return [size, (await client.post(path, runner)).status];
    }),
  );
  expect(statuses).toEqual(sizes.map((size) => [size, 201]));
});

test.each([['null'], ['[]'], ['{'], ['"runner"']])('refuses the body %s', async (text) => {
  const { client, path } = await setting();
  expect((await client.post(path, text)).status).toBe(400);
});

test('a group of another organization is no group here', async () => {
  const { here, owner, client, path } = await setting();
  const elsewhere = await groupOf(here, await here.org(owner));
  const reply = await client.post(path, { ...wanted, runner_group_id: elsewhere });
  expect(reply).toMatchObject({ status: 422, body: { errors: [{ field: 'runner_group_id' }] } });
});

test('names are unique in an organization, without regard to case', async () => {
  const { client, group, path } = await setting();
  const other = await setting();
  expect((await client.post(path, { ...wanted, runner_group_id: group })).status).toBe(201);
  const again = await client.post(path, { ...wanted, name: 'BUILDER', runner_group_id: group });
  expect(again).toMatchObject({ status: 422, body: { errors: [{ field: 'name', code: 'already_exists' }] } });
  expect((await other.client.post(other.path, { ...wanted, runner_group_id: other.group })).status).toBe(201);
});

test('static addresses are given up to the limit, however many ask at once, and counted truly', async () => {
  const { here, client, group, path } = await setting();
  const asked = Array.from({ length: 14 }, (_, i) => ({
    ...wanted,
    name: `r${i}`,
    runner_group_id: group,
    enable_static_ip: true,
  }));
  const statuses = await Promise.all(asked.map(async (body) => (await client.post(path, body)).status));
  expect(statuses.filter((status) => status === 201)).toHaveLength(10);
  expect(statuses.filter((status) => status === 422)).toHaveLength(4);
  const usage = async () => (await client.get(`${path}/limits`)).body.public_ips.current_usage;
  expect(await usage()).toBe(10);

  const { body } = await client.get(path);
  await client.delete(`${path}/${body.runners[0].id}`);
  expect(await usage()).toBe(10);
  await here.settle();
  expect(await usage()).toBe(9);
  await client.patch(`${path}/${body.runners[1].id}`, { enable_static_ip: false });
  expect(await usage()).toBe(8);
});

test('owners alone change runners, and each kind of token only with its right', async () => {
  const { here, owner, org, member, group, path } = await setting();
  let made = 0;
  const status = async (who: Parameters<typeof here.as>[0]) =>
    (await (await here.as(who)).post(path, { ...wanted, name: `r${made++}`, runner_group_id: group })).status;

  expect(await status(undefined)).toBe(401);
  expect(await status(await here.user())).toBe(403);
  expect(await status(member)).toBe(403);
  expect(await status(await here.token(owner, ['write:org', 'repo']))).toBe(403);
  expect(await status(await here.token(owner, ['manage_runners:org']))).toBe(201);
  expect(await status(await here.fineGrained(owner, org, { organization_administration: 'read' }))).toBe(403);
  expect(await status(await here.fineGrained(owner, org, { organization_administration: 'write' }))).toBe(201);
  const app = await installApp(here, { on: org, permissions: { organization_administration: 'write' } });
  expect(await status(app.token)).toBe(201);
  expect(await status(await app.userToken(member))).toBe(403);
});
