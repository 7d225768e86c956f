import { expect, test } from 'vitest';
import { installApp } from '#test/support/apps.ts';
import { generator, publish, setting } from './setting.ts';

const custom = (path: string) => `${path}/images/custom`;

test('an image appears with its first version, and grows with each other', async () => {
  const place = await setting();
  const { client, path } = place;
  await generator(place);
  expect((await client.get(custom(path))).body).toEqual({ total_count: 0, image_versions: [] });

  const first = await publish(place);
  await publish(place, { sizeGb: 50 });
  await publish(place, { version: '3.*', sizeGb: 7 });
  await publish(place, { version: '3.0.10', sizeGb: 1 });
  await publish(place, { version: '3.0.9', sizeGb: 1 });
  await publish(place, { version: '1.*', sizeGb: 1 });
  await publish(place, { image: 'Toolchain', sizeGb: 1 });
  const image = {
    id: first.image,
    name: 'toolchain',
    platform: 'linux-x64',
    source: 'custom',
    versions_count: 7,
    total_versions_size: 101,
    latest_version: '3.1.0',
    state: 'Ready',
  };
  expect((await client.get(`${custom(path)}/${first.image}`)).body).toEqual(image);
  expect((await client.get(custom(path))).body).toEqual({ total_count: 1, image_versions: [image] });
  const versions = await client.get(`${custom(path)}/${first.image}/versions`);
  expect(versions.body.total_count).toBe(7);
  expect(versions.body.image_versions.map(({ version }: { version: string }) => version)).toEqual([
    '3.1.0',
    '3.0.10',
    '3.0.9',
    '3.0.0',
    '1.2.0',
    '1.1.0',
    '1.0.0',
  ]);
  expect((await client.get(`${custom(path)}/${first.image}/versions/1.1.0`)).body).toEqual({
    version: '1.1.0',
    size_gb: 50,
    state: 'Ready',
    state_details: 'None',
    created_on: '2026-01-01T00:00:00Z',
  });
});

test('counts, sizes and the latest version stay right when versions are deleted', async () => {
  const place = await setting();
  const { client, path } = place;
  await generator(place);
  const { image } = await publish(place, { version: '1.0.0', sizeGb: 10 });
  await publish(place, { version: '2.0.0', sizeGb: 20 });
  const at = `${custom(path)}/${image}`;

  expect((await client.delete(`${at}/versions/2.0.0`)).status).toBe(204);
  expect((await client.get(at)).body).toMatchObject({ versions_count: 1, total_versions_size: 10, latest_version: '1.0.0' });
  expect((await client.delete(`${at}/versions/2.0.0`)).status).toBe(404);
  expect((await client.delete(`${at}/versions/1.0.0`)).status).toBe(204);
  expect((await client.get(at)).body).toMatchObject({ versions_count: 0, total_versions_size: 0, latest_version: '' });
  expect((await client.delete(at)).status).toBe(204);
  expect((await client.get(at)).status).toBe(404);
  expect((await client.get(custom(path))).body.total_count).toBe(0);
});

test('a runner stands on a version, or on the latest; what it stands on can’t be deleted', async () => {
  const place = await setting();
  const { here, client, group, path } = place;
  await generator(place);
  const { image } = await publish(place, { version: '1.0.0', sizeGb: 10 });
  await publish(place, { version: '2.0.0', sizeGb: 20 });
  const at = `${custom(path)}/${image}`;
  const make = (name: string, version: string | null) =>
    client.post(path, {
      name,
      image: { id: String(image), source: 'custom', version },
      size: '4-core',
      runner_group_id: group,
    });

  const pinned = await make('pinned', '1.0.0');
  expect(pinned).toMatchObject({
    status: 201,
    body: { platform: 'linux-x64', image: { id: String(image), size: 10, version: '1.0.0' } },
  });
  const following = await make('following', null);
  expect(following.body.image).toEqual({
    id: String(image),
    size: 20,
    display_name: 'toolchain',
    source: 'custom',
    version: 'latest',
  });
  await here.settle();

  const refused = (message: string) => ({ status: 422, body: { message } });
  expect(await client.delete(`${at}/versions/1.0.0`)).toMatchObject(
    refused('Version 1.0.0 of the image toolchain is in use by the runner pinned'),
  );
  expect(await client.delete(`${at}/versions/2.0.0`)).toMatchObject(
    refused('Version 2.0.0 of the image toolchain is in use by the runner following'),
  );
  expect(await client.delete(at)).toMatchObject(refused('The image toolchain is in use by the runner pinned'));

  // A newer version takes the follower along, and frees the one before.
  await publish(place, { version: '3.0.0', sizeGb: 30 });
  expect((await client.get(`${path}/${following.body.id}`)).body).toMatchObject({ status: 'Provisioning', image: { size: 30 } });
  expect((await client.get(`${path}/${pinned.body.id}`)).body).toMatchObject({ status: 'Ready', image: { size: 10 } });
  await here.settle();
  expect((await client.get(`${path}/${following.body.id}`)).body.status).toBe('Ready');
  expect((await client.delete(`${at}/versions/2.0.0`)).status).toBe(204);

  // A runner that is being deleted stands there until it is gone.
  await client.patch(`${path}/${pinned.body.id}`, { image_version: null });
  expect((await client.delete(`${at}/versions/1.0.0`)).status).toBe(204);
  await client.delete(`${path}/${pinned.body.id}`);
  await client.delete(`${path}/${following.body.id}`);
  expect((await client.delete(at)).status).toBe(422);
  await here.settle();
  expect((await client.delete(at)).status).toBe(204);
});

test.each<[object, string]>([
  [{ version: '9.9.9' }, 'image.version'],
  [{ version: 'newest' }, 'image.version'],
  [{ source: 'service' }, 'image.source'],
])('a runner of %o is refused, naming the field', async (wrong, field) => {
  const place = await setting();
  const { here, client, group, path } = place;
  await generator(place);
  const { image } = await publish(place);
  await here.unchanged(['hosted_runners', 'events'], async () => {
    const reply = await client.post(path, {
      name: 'x',
      image: { id: String(image), source: 'custom', ...wrong },
      size: '4-core',
      runner_group_id: group,
    });
    expect(reply).toMatchObject({ status: 422, body: { errors: [{ field }] } });
  });
});

test('an image without a version, too large for the machine, or of another organization makes no runner', async () => {
  const place = await setting();
  const { client, group, path } = place;
  await generator(place);
  const { image } = await publish(place, { sizeGb: 500 });
  const make = (at: typeof place) =>
    at.client.post(at.path, {
      name: 'x',
      image: { id: String(image), source: 'custom' },
      size: '4-core',
      runner_group_id: at.group,
    });
  expect(await make(place)).toMatchObject({ status: 422, body: { errors: [{ field: 'size' }] } });
  expect(await make(await setting())).toMatchObject({ status: 422, body: { errors: [{ field: 'image.id' }] } });
  await client.delete(`${custom(path)}/${image}/versions/1.0.0`);
  expect(await make(place)).toMatchObject({ status: 422, body: { errors: [{ field: 'image.id' }] } });
  expect(group).toBe(place.group);
});

test.each<[object, string]>([
  [{ runner: 'nobody' }, 'There is no runner nobody in this organization'],
  [{ runner: 'plain' }, 'The runner plain is not set up to generate images (image_gen)'],
  [{ image: 'bad name' }, 'A name has 1 to 64 letters, digits, dots, hyphens, underscores'],
  [{ version: '1' }, 'A version is written as 2.4.0, or as 2.* for the next one of 2'],
  [{ version: '1.0.0' }, 'Validation Failed'],
  [{ sizeGb: undefined }, 'The size in GB is needed: there is no machine to measure'],
  [{ sizeGb: 0 }, 'The size must be a whole number from 1 to 1000000'],
  [{ runner: 'windows' }, 'The image toolchain is for linux-x64; the runner windows is win-x64'],
])('%o is not published', async (wrong, message) => {
  const place = await setting();
  await generator(place);
  await generator(place, { name: 'plain', image_gen: false });
  await generator(place, { name: 'windows', image: { id: 'windows-2025', source: 'service' }, size: '8-core' });
  await publish(place, { version: '1.0.0' });
  await place.here.unchanged(['custom_images', 'custom_image_versions', 'events'], async () => {
    const refusal = await publish(place, wrong).then(
      () => undefined,
      (error) => error.errors?.[0]?.message ?? error.message,
    );
    expect(refusal).toBe(message);
  });
});

test('versions that are published at once get numbers of their own', async () => {
  const place = await setting();
  await generator(place);
  const published = await Promise.all(Array.from({ length: 6 }, () => publish(place)));
  expect(published.map(({ version }) => version).sort()).toEqual(['1.0.0', '1.1.0', '1.2.0', '1.3.0', '1.4.0', '1.5.0']);
  expect(new Set(published.map(({ image }) => image)).size).toBe(1);
});

test('another organization’s image reads like one that is not there, and odd versions lead nowhere', async () => {
  const place = await setting();
  const { here, owner, client } = place;
  await generator(place);
  const { image } = await publish(place);
  const other = await here.org(owner);
  const elsewhere = `/orgs/${other.login}/actions/hosted-runners/images/custom/${image}`;
  for (const at of ['', '/versions', '/versions/1.0.0']) expect((await client.get(elsewhere + at)).status).toBe(404);
  for (const at of ['', '/versions/1.0.0']) expect((await client.delete(elsewhere + at)).status).toBe(404);
  const own = `${custom(place.path)}/${image}/versions`;
  for (const version of ['1.0', '1.0.0.0', 'latest', '01.0.x', '9999999999.0.0'])
    expect((await client.get(`${own}/${version}`)).status).toBe(404);
  expect((await client.get(`${own}/1.0.0`)).status).toBe(200);
});

test('each kind of token reaches images only with its right', async () => {
  const place = await setting();
  const { here, owner, org, member, path } = place;
  await generator(place);
  const { image } = await publish(place);
  const statuses = async (who: Parameters<typeof here.as>[0]) => {
    const client = await here.as(who);
    return [(await client.get(custom(path))).status, (await client.delete(`${custom(path)}/${image}/versions/9.9.9`)).status];
  };
  expect(await statuses(undefined)).toEqual([401, 401]);
  expect(await statuses(member)).toEqual([404, 403]);
  expect(await statuses(await here.token(owner, ['manage_runners:org']))).toEqual([200, 404]);
  expect(await statuses(await here.token(owner, ['read:org']))).toEqual([404, 403]);
  const name = 'organization_hosted_runner_custom_images';
  expect(await statuses(await here.fineGrained(owner, org, { [name]: 'read' }))).toEqual([200, 403]);
  expect(await statuses(await here.fineGrained(owner, org, { [name]: 'write' }))).toEqual([200, 404]);
  expect(await statuses(await here.fineGrained(owner, org, { organization_administration: 'write' }))).toEqual([403, 403]);
  const app = await installApp(here, { on: org, permissions: { [name]: 'write' } });
  expect(await statuses(app.token)).toEqual([200, 404]);
});

test('a page of images is as many statements for many as for one', async () => {
  const place = await setting();
  const { here, owner, path } = place;
  await generator(place);
  await publish(place);
  const forOne = await here.statements(owner, custom(path));
  for (let i = 0; i < 5; i++) await publish(place, { image: `image-${i}` });
  expect(await here.statements(owner, custom(path))).toBe(forOne);
});
