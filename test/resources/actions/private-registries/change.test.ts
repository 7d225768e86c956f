import { expect, test } from 'vitest';
import { changeIn } from '#endpoint/change-in.ts';
import { registriesFor, rotateRegistryKey } from '#resources/actions/private-registries/index.ts';
import { eventsOf } from '#test/support/apps.ts';
import { world } from '#test/support/world.ts';
import { cloudA, sealed, setting, tables } from './setting.ts';

const w = await world();

const npm = { registry_type: 'npm_registry', url: 'https://npm.example/', visibility: 'all' };

/** An organization with one registry that has a secret. */
async function withSecret(secret: string) {
  const here = await setting(w);
  const client = await w.as(here.owner);
  const { body } = await client.post(here.path, { ...npm, ...(await sealed(client, here.org, secret)) });
  const at = `${here.path}/${body.name}`;
  const repo = await w.repo(here.org, { visibility: 'private', by: here.owner });
  const resolved = () => registriesFor(w.db, w.hearth.services.secrets, repo);
  return { ...here, client, at, repo, resolved };
}

test('a registry is listed, read, changed and deleted; what isn’t named stays, the secret included', async () => {
  const { path, client, at, org, resolved } = await withSecret('canary-first');
  const { body } = await client.get(at);
  expect((await client.get(path)).body).toEqual({ total_count: 1, configurations: [body] });
  expect(JSON.stringify(body)).not.toContain('canary');
  expect((await client.get(at.toLowerCase())).body).toEqual(body);

  expect((await client.patch(at, { url: 'https://other.example/', visibility: 'private', username: 'ada' })).status).toBe(204);
  expect((await client.get(at)).body).toMatchObject({ url: 'https://other.example/', visibility: 'private', username: 'ada' });
  expect(await resolved()).toMatchObject([{ secret: 'canary-first', url: 'https://other.example/' }]);
  expect((await client.patch(at, await sealed(client, org, 'canary-second'))).status).toBe(204);
  expect(await resolved()).toMatchObject([{ secret: 'canary-second' }]);

  expect((await client.delete(at)).status).toBe(204);
  for (const answer of [await client.get(at), await client.patch(at, {}), await client.delete(at)])
    expect(answer.status).toBe(404);
  expect(await resolved()).toEqual([]);
  const told = (await eventsOf(w, org)).filter((kind) => kind.startsWith('private_registry.'));
  expect(told).toEqual(['created', 'changed', 'changed', 'deleted'].map((word) => `private_registry.${word}`));
});

test('a wrong change is refused by its field and writes nothing', async () => {
  const { client, at, org } = await withSecret('s');
  const fresh = await sealed(client, org, 's');
  const wrong: [object, string, string][] = [
    [{ auth_type: 'oidc_cloud_a' }, 'auth_type', 'invalid'],
    [{ tenant_id: 't' }, 'tenant_id', 'invalid'],
    [{ key_id: fresh.key_id }, 'encrypted_value', 'missing_field'],
    [{ encrypted_value: fresh.encrypted_value }, 'key_id', 'missing_field'],
    [{ ...fresh, key_id: '0' }, 'key_id', 'invalid'],
    [{ url: 'nowhere' }, 'url', 'invalid'],
    [{ visibility: 'some' }, 'visibility', 'invalid'],
    [{ selected_repository_ids: [1] }, 'selected_repository_ids', 'invalid'],
  ];
  await w.unchanged(tables, async () => {
    for (const [body, field, code] of wrong) {
      expect(await client.patch(at, body)).toMatchObject({ status: 422, body: { errors: [{ field, code }] } });
    }
    for (const body of ['"all"', '[]', '{']) expect((await client.patch(at, body)).status).toBe(400);
  });
});

test('after a rotation only the new key serves, and stored secrets stay readable', async () => {
  const { client, at, org, resolved } = await withSecret('canary');
  const old = await sealed(client, org, 'late');
  await changeIn(w.jobContext().scope, (scope) => rotateRegistryKey(scope, { org, by: undefined }));
  expect(await client.patch(at, old)).toMatchObject({ status: 422, body: { errors: [{ field: 'key_id' }] } });
  expect(await resolved()).toMatchObject([{ secret: 'canary' }]);
  expect((await client.patch(at, await sealed(client, org, 'new'))).status).toBe(204);
  expect(await resolved()).toMatchObject([{ secret: 'new' }]);
});

test('a repository that is deleted or goes to another owner leaves the list, also should it come back', async () => {
  const { owner, org, path } = await setting(w);
  const client = await w.as(owner);
  const elsewhere = await w.org(owner);
  const [kept, gone, moved] = [
    await w.repo(org, { visibility: 'private', by: owner }),
    await w.repo(org, { visibility: 'private', by: owner }),
    await w.repo(org, { visibility: 'private', by: owner }),
  ];
  const ids = [kept.id, gone.id, moved.id];
  const { body } = await client.post(path, { ...cloudA, visibility: 'selected', selected_repository_ids: ids });
  const selected = async () => (await client.get(`${path}/${body.name}`)).body.selected_repository_ids;
  expect((await client.delete(`/repos/${org.login}/${gone.name}`)).status).toBe(204);
  expect((await client.post(`/repos/${org.login}/${moved.name}/transfer`, { new_owner: elsewhere.login })).status).toBe(202);
  expect(await selected()).toEqual([kept.id]);
  await w.settle();
  expect((await client.post(`/repos/${elsewhere.login}/${moved.name}/transfer`, { new_owner: org.login })).status).toBe(202);
  expect(await selected()).toEqual([kept.id]);
});

test('a repository sees the registries that are open to it', async () => {
  const { owner, org, path } = await setting(w);
  const client = await w.as(owner);
  const chosen = await w.repo(org, { visibility: 'private', by: owner });
  const hidden = await w.repo(org, { visibility: 'private', by: owner });
  const open = await w.repo(org, { by: owner });
  const stranger = await w.repo(await w.org(owner), { by: owner });
  await client.post(path, { ...cloudA, registry_type: 'npm_registry', visibility: 'all' });
  await client.post(path, { ...cloudA, registry_type: 'python_index', visibility: 'private' });
  const selected_repository_ids = [chosen.id];
  await client.post(path, { ...cloudA, registry_type: 'docker_registry', visibility: 'selected', selected_repository_ids });
  const seen = async (repo: typeof chosen) =>
    (await registriesFor(w.db, w.hearth.services.secrets, repo)).map(({ registry_type }) => registry_type);
  expect(await seen(chosen)).toEqual(['npm_registry', 'python_index', 'docker_registry']);
  expect(await seen(hidden)).toEqual(['npm_registry', 'python_index']);
  expect(await seen(open)).toEqual(['npm_registry']);
  expect(await seen(stranger)).toEqual([]);
});

test('owners alone read registries, and another organization’s are absent', async () => {
  const { owner, member, path, org, at } = await withSecret('s');
  const other = await setting(w);
  const key = `${path}/public-key`;
  for (const who of [undefined, member, other.owner, await w.fineGrained(owner, org, { members: 'read' })]) {
    const client = await w.as(who);
    for (const to of [path, at, key]) expect((await client.get(to)).status).toBeGreaterThanOrEqual(401);
    expect((await client.patch(at, { username: 'x' })).status).toBeGreaterThanOrEqual(401);
    expect((await client.delete(at)).status).toBeGreaterThanOrEqual(401);
  }
  const reader = await w.as(await w.fineGrained(owner, org, { organization_private_registries: 'read' }));
  for (const to of [path, at, key]) expect((await reader.get(to)).status).toBe(200);
  expect((await reader.delete(at)).status).toBe(403);
  const name = at.split('/').at(-1);
  expect((await (await w.as(other.owner)).get(`${other.path}/${name}`)).status).toBe(404);
});

test('the public key is made once, also when many ask at once', async () => {
  const { owner, path } = await setting(w);
  const client = await w.as(owner);
  const keys = await Promise.all(Array.from({ length: 8 }, async () => (await client.get(`${path}/public-key`)).body.key));
  expect(new Set(keys).size).toBe(1);
});

test('a list costs as many statements for 1 registry as for 12', async () => {
  const { owner, path } = await setting(w);
  const client = await w.as(owner);
  await client.post(path, cloudA);
  const one = await w.statements(owner, path);
  for (let i = 0; i < 11; i++) await client.post(path, cloudA);
  expect((await client.get(`${path}?per_page=5&page=2`)).body).toMatchObject({ total_count: 12, configurations: { length: 5 } });
  expect(await w.statements(owner, path)).toBe(one);
});
