import { expect, test } from 'vitest';
import { installApp, oauthToken } from '#test/support/apps.ts';
import { setting } from './setting.ts';

test('images, sizes, platforms and limits are those of the catalogue', async () => {
  const { client, path } = await setting();

  const service = await client.get(`${path}/images/service-owned`);
  expect(service).toMatchObject({ status: 200, body: { total_count: 4 } });
  expect(service.body.images[0]).toEqual({
    id: 'ubuntu-24.04',
    platform: 'linux-x64',
    size_gb: 86,
    display_name: 'Ubuntu 24.04',
    source: 'service',
  });
  const partner = await client.get(`${path}/images/partner`);
  expect(partner.body.images.map(({ source }: { source: string }) => source)).toEqual(['partner', 'partner']);
  const sizes = await client.get(`${path}/machine-sizes`);
  expect(sizes.body).toMatchObject({ total_count: 7 });
  expect(sizes.body.machine_specs.at(-1)).toEqual({ id: '96-core', cpu_cores: 96, memory_gb: 384, storage_gb: 2040 });
  expect((await client.get(`${path}/platforms`)).body).toEqual({
    total_count: 4,
    platforms: ['linux-x64', 'linux-arm64', 'win-x64', 'win-arm64'],
  });
  expect((await client.get(`${path}/limits`)).body).toEqual({ public_ips: { current_usage: 0, maximum: 0 } });
});

test('owners alone reach them, and each kind of token only with its right', async () => {
  const { here, owner, org, member, path } = await setting();
  const status = async (who: Parameters<typeof here.as>[0]) => (await (await here.as(who)).get(`${path}/limits`)).status;

  expect(await status(undefined)).toBe(401);
  expect(await status(await here.user())).toBe(404);
  expect(await status(member)).toBe(404);
  expect(await status(await here.token(owner, ['manage_runners:org']))).toBe(200);
  expect(await status(await here.token(owner, ['admin:org']))).toBe(200);
  expect(await status(await here.token(owner, ['write:org', 'repo']))).toBe(404);
  expect(await status(await oauthToken(here, owner, ['manage_runners:org']))).toBe(200);
  expect(await status(await here.fineGrained(owner, org, { organization_administration: 'read' }))).toBe(200);
  expect(await status(await here.fineGrained(owner, org, { organization_self_hosted_runners: 'write' }))).toBe(403);
  expect(await status(await here.fineGrained(member, org, { organization_administration: 'read' }))).toBe(404);
  const app = await installApp(here, { on: org, permissions: { organization_administration: 'read' } });
  expect(await status(app.token)).toBe(200);
  const weak = await installApp(here, { on: org, permissions: { members: 'write' } });
  expect(await status(weak.token)).toBe(403);
});
