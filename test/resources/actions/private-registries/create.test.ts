import { expect, test } from 'vitest';
import { registriesFor } from '#resources/actions/private-registries/index.ts';
import { eventsOf, installApp, oauthToken } from '#test/support/apps.ts';
import { world } from '#test/support/world.ts';
import { cloudA, sealed, setting, tables } from './setting.ts';

const maven = { registry_type: 'maven_repository', url: 'https://maven.example/', visibility: 'private' };

test('an owner creates a registry with an encrypted secret, which is never shown and can be resolved', async () => {
  const w = await world();
  const { owner, org, path } = await setting(w);
  const client = await w.as(owner);
  const wanted = { ...maven, username: 'ada', replaces_base: true, ...(await sealed(client, org, 'canary-1')) };
  const reply = await client.post(path, wanted);

  expect(reply).toMatchObject({ status: 201 });
  expect(reply.body).toEqual({
    name: 'MAVEN_REPOSITORY_SECRET',
    registry_type: 'maven_repository',
    auth_type: 'token',
    url: 'https://maven.example/',
    username: 'ada',
    replaces_base: true,
    visibility: 'private',
    selected_repository_ids: [],
    created_at: '2026-01-01T00:00:00Z',
    updated_at: '2026-01-01T00:00:00Z',
  });
  const repo = await w.repo(org, { visibility: 'private', by: owner });
  const [found] = await registriesFor(w.db, w.hearth.services.secrets, repo);
  expect(found).toMatchObject({ secret: 'canary-1', username: 'ada', auth_type: 'token' });
  expect((await eventsOf(w, org)).at(-2)).toBe('private_registry.created');
});

test('the secret is nowhere in the database', async () => {
  const w = await world();
  const { owner, org, path } = await setting(w);
  const client = await w.as(owner);
  await client.post(path, { ...maven, ...(await sealed(client, org, 'canary-nowhere')) });
  for (const table of ['private_registries', 'encryption_keys', 'events'] as const) {
    const rows = await w.db.selectFrom(table).selectAll().execute();
    const texts = rows
      .flatMap((row) => Object.values(row))
      .map((value) => (Buffer.isBuffer(value) ? value.toString('latin1') : String(JSON.stringify(value))));
    expect(texts.filter((text) => text.includes('canary-nowhere'))).toEqual([]);
  }
});

test('registries of one type are told apart by a number, and a name that is free again is given again', async () => {
  const w = await world();
  const { owner, path } = await setting(w);
  const client = await w.as(owner);
  const names = async () => (await client.post(path, cloudA)).body.name;
  expect([await names(), await names(), await names()]).toEqual([
    'MAVEN_REPOSITORY_SECRET',
    'MAVEN_REPOSITORY_SECRET_2',
    'MAVEN_REPOSITORY_SECRET_3',
  ]);
  await client.delete(`${path}/MAVEN_REPOSITORY_SECRET_2`);
  expect(await names()).toBe('MAVEN_REPOSITORY_SECRET_2');
});

test('each way of signing in without a secret takes its own fields', async () => {
  const w = await world();
  const { owner, path } = await setting(w);
  const client = await w.as(owner);
  const base = { registry_type: 'npm_registry', url: 'https://npm.example/', visibility: 'all' };
  const ways = [
    { auth_type: 'oidc_cloud_a', tenant_id: 't', client_id: 'c' },
    { auth_type: 'oidc_cloud_b', aws_region: 'r', account_id: 'a', role_name: 'n', domain: 'd', domain_owner: 'o' },
    { auth_type: 'oidc_cloud_b', registry_type: 'docker_registry', aws_region: 'r', account_id: 'a', role_name: 'n' },
    { auth_type: 'oidc_cloud_c', workload_identity_provider: 'p', service_account: 's' },
    { auth_type: 'oidc_registry_a', registry_a_oidc_provider_name: 'p', audience: 'a', identity_mapping_name: 'm' },
    { auth_type: 'oidc_registry_b', namespace: 'n', service_slug: 's', api_host: 'api.example' },
  ];
  for (const way of ways) {
    const reply = await client.post(path, { ...base, ...way });
    expect(reply).toMatchObject({ status: 201, body: { ...base, ...way } });
  }
});

const secret = { key_id: '1', encrypted_value: 'c2VjcmV0' };
const cloudB = { auth_type: 'oidc_cloud_b', aws_region: 'r', account_id: 'a', role_name: 'n' };

test.each([
  [{ ...cloudA, registry_type: undefined }, 'registry_type', 'missing_field'],
  [{ ...cloudA, registry_type: 'floppy' }, 'registry_type', 'invalid'],
  [{ ...cloudA, url: undefined }, 'url', 'missing_field'],
  [{ ...cloudA, url: 'no url' }, 'url', 'invalid'],
  [{ ...cloudA, url: 5 }, 'url', 'invalid'],
  [{ ...cloudA, url: 'https://maven.example:99999/' }, 'url', 'invalid'],
  [{ ...cloudA, url: 'file:///etc/passwd' }, 'url', 'invalid'],
  [{ ...cloudA, url: 'javascript:alert(1)' }, 'url', 'invalid'],
  [{ ...cloudA, url: 'https://ada:secret@maven.example/' }, 'url', 'invalid'],
  [{ ...cloudA, url: `https://maven.example/${'x'.repeat(1100)}` }, 'url', 'invalid'],
  [{ ...cloudA, visibility: undefined }, 'visibility', 'missing_field'],
  [{ ...cloudA, visibility: 'secret' }, 'visibility', 'invalid'],
  [{ ...cloudA, username: 7 }, 'username', 'invalid'],
  [{ ...cloudA, replaces_base: 'yes' }, 'replaces_base', 'invalid'],
  [{ ...cloudA, auth_type: 'magic' }, 'auth_type', 'invalid'],
  [{ ...cloudA, auth_type: null }, 'auth_type', 'invalid'],
  [{ ...cloudA, tenant_id: undefined }, 'tenant_id', 'missing_field'],
  [{ ...cloudA, client_id: null }, 'client_id', 'invalid'],
  [{ ...cloudA, key_id: '1' }, 'key_id', 'invalid'],
  [{ ...cloudA, encrypted_value: 'c2VjcmV0' }, 'encrypted_value', 'invalid'],
  [{ ...cloudA, namespace: 'n' }, 'namespace', 'invalid'],
  [{ ...cloudA, selected_repository_ids: [1] }, 'selected_repository_ids', 'invalid'],
  [{ ...cloudA, visibility: 'selected', selected_repository_ids: 'all' }, 'selected_repository_ids', 'invalid'],
  [{ ...cloudA, visibility: 'selected', selected_repository_ids: [999_999] }, 'selected_repository_ids', 'invalid'],
  [{ ...maven, key_id: '1' }, 'encrypted_value', 'missing_field'],
  [{ ...maven, encrypted_value: 'c2VjcmV0' }, 'key_id', 'missing_field'],
  [{ ...maven, ...secret, encrypted_value: 'not base64!' }, 'encrypted_value', 'invalid'],
  [{ ...maven, ...secret, tenant_id: 't' }, 'tenant_id', 'invalid'],
  [{ ...maven, ...secret, key_id: 1 }, 'key_id', 'invalid'],
  [{ ...maven, ...secret, auth_type: 'username_password' }, 'username', 'missing_field'],
  [{ ...maven, ...secret, auth_type: 'username_password', username: null }, 'username', 'missing_field'],
  [{ ...maven, ...cloudB }, 'domain', 'missing_field'],
  [{ ...maven, ...cloudB, domain: 'd' }, 'domain_owner', 'missing_field'],
  [{ ...maven, auth_type: 'oidc_registry_a' }, 'registry_a_oidc_provider_name', 'missing_field'],
  [{ ...maven, auth_type: 'oidc_registry_b', namespace: 'n' }, 'service_slug', 'missing_field'],
  [{ ...maven, auth_type: 'oidc_cloud_c' }, 'workload_identity_provider', 'missing_field'],
])('refuses %o, naming the field, and writes nothing', async (body, field, code) => {
  const w = await world();
  const { owner, path } = await setting(w);
  const client = await w.as(owner);
  await w.unchanged(tables, async () => {
    const reply = await client.post(path, body);
    expect(reply).toMatchObject({ status: 422, body: { errors: [{ resource: 'PrivateRegistry', field, code }] } });
    expect(reply.body.errors).toHaveLength(1);
  });
});

test.each(['null', '[]', '"text"', '{'])('refuses the body %s', async (body) => {
  const w = await world();
  const { owner, path } = await setting(w);
  const client = await w.as(owner);
  await w.unchanged(tables, async () => expect((await client.post(path, body)).status).toBe(400));
});

test('an unknown key, another organization’s, and a value of another key are refused', async () => {
  const w = await world();
  const { owner, org, path } = await setting(w);
  const client = await w.as(owner);
  const elsewhere = await w.org(owner);
  const right = await sealed(client, org, 'value');
  const foreign = await sealed(client, elsewhere, 'value');
  const cases = [
    [{ ...right, key_id: '987654' }, 'key_id'],
    [{ ...right, key_id: 'no-number' }, 'key_id'],
    [foreign, 'key_id'],
    [{ ...foreign, key_id: right.key_id }, 'encrypted_value'],
    [{ ...right, encrypted_value: 'c2VjcmV0' }, 'encrypted_value'],
    [await sealed(client, org, ''), 'encrypted_value'],
  ] as const;
  await w.unchanged(tables, async () => {
    for (const [given, field] of cases) {
      const reply = await client.post(path, { ...maven, ...given });
      expect(reply).toMatchObject({ status: 422, body: { errors: [{ resource: 'PrivateRegistry', field, code: 'invalid' }] } });
    }
  });
});

test('repositories can be selected only where the organization owns them and the credential reaches them', async () => {
  const w = await world();
  const { owner, org, path } = await setting(w);
  const one = await w.repo(org, { visibility: 'private', by: owner });
  const two = await w.repo(org, { visibility: 'private', by: owner });
  const own = await w.repo(owner);
  const select = async (who: Parameters<typeof w.as>[0], ids: number[]) =>
    (await w.as(who)).post(path, { ...cloudA, visibility: 'selected', selected_repository_ids: ids });

  expect(await select(owner, [two.id, one.id, two.id])).toMatchObject({
    status: 201,
    body: { selected_repository_ids: [one.id, two.id] },
  });
  expect((await select(owner, [])).body.selected_repository_ids).toEqual([]);
  expect((await select(owner, [one.id, own.id])).status).toBe(422);
  const app = await installApp(w, { on: org, permissions: { organization_private_registries: 'write' }, repositories: [one] });
  expect((await select(app.token, [one.id])).status).toBe(201);
  expect((await select(app.token, [one.id, two.id])).status).toBe(422);
});

test('only an owner, by a credential that may, creates a registry', async () => {
  const w = await world();
  const { owner, member, stranger, org, path } = await setting(w);
  const held = 'organization_private_registries';
  const writer = await installApp(w, { on: org, permissions: { [held]: 'write' } });
  const reader = await installApp(w, { on: org, permissions: { [held]: 'read' } });
  const status = async (who: Parameters<typeof w.as>[0]) => (await (await w.as(who)).post(path, cloudA)).status;

  await w.unchanged(tables, async () => {
    expect(await status(undefined)).toBe(401);
    expect(await status(stranger)).toBe(403);
    expect(await status(member)).toBe(403);
    expect(await status(await w.token(owner, ['write:org', 'repo']))).toBe(403);
    expect(await status(await oauthToken(w, owner, ['read:org']))).toBe(403);
    expect(await status(await w.fineGrained(owner, org, { [held]: 'read' }))).toBe(403);
    expect(await status(await w.fineGrained(owner, owner, { [held]: 'write' }))).toBe(403);
    expect(await status(await w.fineGrained(member, org, { [held]: 'write' }))).toBe(403);
    expect(await status(reader.token)).toBe(403);
    expect(await status(await reader.userToken(owner))).toBe(403);
    expect(await status(await writer.userToken(member))).toBe(403);
  });
  expect(await status(owner)).toBe(201);
  expect(await status(await w.token(owner, ['admin:org']))).toBe(201);
  expect(await status(await oauthToken(w, owner, ['admin:org']))).toBe(201);
  expect(await status(await w.fineGrained(owner, org, { [held]: 'write' }))).toBe(201);
  expect(await status(writer.token)).toBe(201);
  expect(await status(await writer.userToken(owner))).toBe(201);
});

test('half a surrogate pair is kept as the character that stands for it', async () => {
  const w = await world();
  const { path, owner } = await setting(w);
  const client = await w.as(owner);
  const { body, status } = await client.post(path, { ...cloudA, tenant_id: 'a\ud800', username: '\udc00b' });
  expect(status).toBe(201);
  expect(body).toMatchObject({ tenant_id: 'a\ufffd', username: '\ufffdb' });
});
