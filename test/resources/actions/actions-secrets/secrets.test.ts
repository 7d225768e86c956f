import { expect, test } from 'vitest';
import type { JobEnvironment } from '#resources/actions/actions-configuration/index.ts';
import { loadSecretsForJob } from '#resources/actions/actions-secrets/index.ts';
import { type Places, pathsOf, places, setting } from '#test/resources/actions/actions-configuration/setting.ts';
import { eventsOf } from '#test/support/apps.ts';
import type { Client } from '#test/support/client.ts';
import { sealedFor } from '#test/support/sealed.ts';
import { world } from '#test/support/world.ts';

const w = await world();
const tables = ['actions_secrets', 'encryption_keys', 'repository_selections', 'selected_repositories', 'events'];

async function secretsOf() {
  const here = await setting(w);
  const paths = pathsOf('secrets', here);
  /** Sets a secret, and gives the reply. */
  const put = async (place: Places, name: string, value: string, more: object = {}, client: Client = here.client) => {
    const shared = place === 'org' ? { visibility: 'all' } : {};
    const sealed = await sealedFor(here.client, `${paths[place]}/public-key`, value);
    return client.put(`${paths[place]}/${name}`, { ...sealed, ...shared, ...more });
  };
  const job = async (where: JobEnvironment = { repository: here.repo.id }) =>
    Object.fromEntries(await loadSecretsForJob(w.db, w.hearth.services.secrets, where));
  return { ...here, paths, put, job };
}

test('an organization says which repositories may use a secret; without a value, that one stays', async () => {
  const { client, paths, put, job, repo, org, owner } = await secretsOf();
  const open = await w.repo(org, { by: owner });
  const seen = async () => [await job(), await job({ repository: open.id })].map((found) => Object.keys(found).length);
  const at = `${paths.org}/KEY`;
  expect((await put('org', 'KEY', 'v', { visibility: 'private' })).status).toBe(201);
  expect(await seen()).toEqual([1, 0]);
  expect((await client.put(at, { visibility: 'all' })).status).toBe(204);
  expect(await seen()).toEqual([1, 1]);
  expect(await job()).toEqual({ KEY: 'v' });
  expect((await client.put(at, { visibility: 'selected', selected_repository_ids: [open.id] })).status).toBe(204);
  expect(await seen()).toEqual([0, 1]);
  const { body } = await client.get(at);
  expect(body).toMatchObject({ visibility: 'selected', selected_repositories_url: `${w.url}/api/v3${at}/repositories` });

  const listed = async () => (await client.get(`${at}/repositories`)).body.repositories.map(({ id }: { id: number }) => id);
  expect(await listed()).toEqual([open.id]);
  expect((await client.put(`${at}/repositories/${repo.id}`)).status).toBe(204);
  expect(await seen()).toEqual([1, 1]);
  expect((await client.delete(`${at}/repositories/${open.id}`)).status).toBe(204);
  expect(await listed()).toEqual([repo.id]);
  expect((await client.put(`${at}/repositories`, { selected_repository_ids: [open.id] })).status).toBe(204);
  expect(await seen()).toEqual([0, 1]);
  const changes = (await eventsOf(w, org)).filter((kind) => kind === 'actions_secret.changed');
  expect(changes).toHaveLength(5);
  await client.put(at, { visibility: 'all' });
  await w.unchanged(tables, async () => {
    expect((await client.put(`${at}/repositories/${repo.id}`)).status).toBe(409);
    expect((await client.delete(`${at}/repositories/${repo.id}`)).status).toBe(409);
    expect((await client.put(`${at}/repositories`, { selected_repository_ids: [repo.id] })).status).toBe(409);
  });
});

test('a repository lists the secrets of its organization that it may use', async () => {
  const { paths, put, client, inRepo, repo, org, owner } = await secretsOf();
  const other = await w.repo(org, { by: owner });
  await put('org', 'C_ALL', 'v');
  await put('org', 'A_PRIVATE', 'v', { visibility: 'private' });
  await put('org', 'B_SELECTED', 'v', { visibility: 'selected', selected_repository_ids: [repo.id] });
  await put('org', 'D_OTHER', 'v', { visibility: 'selected', selected_repository_ids: [other.id] });
  const path = `${inRepo}/actions/organization-secrets`;
  const { body } = await client.get(path);
  expect(body.total_count).toBe(3);
  expect(body.secrets.map(({ name }: { name: string }) => name)).toEqual(['A_PRIVATE', 'B_SELECTED', 'C_ALL']);
  expect(Object.keys(body.secrets[0])).toEqual(['name', 'created_at', 'updated_at']);
  expect((await client.get(`${path}?per_page=2&page=2`)).body.secrets).toHaveLength(1);
  expect((await client.get(paths.repo)).body.total_count).toBe(0);
});

test('each place has a key of its own, which is made once', async () => {
  const { client, paths } = await secretsOf();
  const keys = await Promise.all(
    places.flatMap((place) => Array.from({ length: 4 }, async () => (await client.get(`${paths[place]}/public-key`)).body.key)),
  );
  expect(new Set(keys).size).toBe(3);
});

test('no more secrets than the limit, also of concurrent requests; one that is there can be set', async () => {
  const { repo, put } = await secretsOf();
  await put('repo', 'S0', 'v');
  const found = w.db.selectFrom('actions_secrets').selectAll().where('repository_id', '=', repo.id);
  const { id: _id, ...rest } = await found.executeTakeFirstOrThrow();
  const more = Array.from({ length: 98 }, (_, at) => ({ ...rest, name: `S${at + 1}` }));
  await w.db.insertInto('actions_secrets').values(more).execute();
  const answers = await Promise.all(['X', 'Y', 'X', 'Z'].map((name) => put('repo', name, 'v')));
  expect(answers.map(({ status }) => status).filter((status) => status === 201)).toHaveLength(1);
  expect(answers.every(({ status }) => [201, 204, 422].includes(status))).toBe(true);
  const { total } = await w.db
    .selectFrom('actions_secrets')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('repository_id', '=', repo.id)
    .executeTakeFirstOrThrow();
  expect(total).toBe(100);
  expect((await put('repo', 'S5', 'v')).status).toBe(204);
});

test('with an environment, or a repository, its secrets and keys are deleted; a transferred repository loses the organization’s', async () => {
  const { client, owner, org, repo, inRepo, put, job, environment } = await secretsOf();
  const elsewhere = await w.org(owner);
  await Promise.all(places.map((place) => put(place, `OF_${place}`, 'v')));
  await put('org', 'CHOSEN', 'v', { visibility: 'selected', selected_repository_ids: [repo.id] });
  const left = async () =>
    (
      await w.db
        .selectFrom('actions_secrets')
        .select('name')
        .where(({ or, eb }) => or([eb('repository_id', '=', repo.id), eb('environment_id', '=', environment.id)]))
        .execute()
    ).length;
  expect(await left()).toBe(2);
  expect((await client.delete(`${inRepo}/environments/production`)).status).toBe(204);
  expect(await left()).toBe(1);
  expect(await job()).toEqual({ CHOSEN: 'v', OF_ORG: 'v', OF_REPO: 'v' });
  expect((await client.post(`${inRepo}/transfer`, { new_owner: elsewhere.login })).status).toBe(202);
  expect(await job()).toEqual({ OF_REPO: 'v' });
  await w.settle();
  expect((await client.post(`/repos/${elsewhere.login}/${repo.name}/transfer`, { new_owner: org.login })).status).toBe(202);
  expect(await job()).toEqual({ OF_ORG: 'v', OF_REPO: 'v' });
  expect((await client.delete(inRepo)).status).toBe(204);
  await w.settle();
  expect(await left()).toBe(0);
});

test('an environment of another repository gives a job nothing', async () => {
  const first = await secretsOf();
  const second = await secretsOf();
  await second.put('environment', 'KEY', 'v');
  expect(await first.job({ repository: first.repo.id, environment: second.environment.id })).toEqual({});
  expect(await first.job({ repository: second.repo.id, environment: second.environment.id })).toEqual({ KEY: 'v' });
});

test('a fork has no secrets', async () => {
  const { owner, put, job, inRepo, client } = await secretsOf();
  await put('repo', 'KEY', 'v');
  const forker = await w.org(owner);
  const { body } = await client.post(`${inRepo}/forks`, { organization: forker.login });
  expect(await job({ repository: body.id })).toEqual({});
});

test('a list costs as many statements for 1 secret as for 30, and reads no values', async () => {
  const { owner, paths, put, inRepo } = await secretsOf();
  const all = [...places.map((place) => paths[place]), `${inRepo}/actions/organization-secrets`];
  await Promise.all(places.map((place) => put(place, 'KEY', 'v')));
  const counts = () => Promise.all(all.map((path) => w.statements(owner, path)));
  const before = await counts();
  const rows = await w.db
    .selectFrom('actions_secrets')
    .selectAll()
    .where('name', '=', 'KEY')
    .orderBy('id', 'desc')
    .limit(3)
    .execute();
  const copies = rows
    .filter(({ selection_id }) => selection_id === null)
    .flatMap(({ id: _id, ...row }) => Array.from({ length: 29 }, (_, at) => ({ ...row, name: `KEY_${at}` })));
  await w.db.insertInto('actions_secrets').values(copies).execute();
  for (let at = 0; at < 5; at++) await put('org', `KEY_${at}`, 'v');
  expect(await counts()).toEqual(before);
  expect(before).toEqual([2, 2, 2, 2]);
});
