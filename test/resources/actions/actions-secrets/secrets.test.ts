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

test.each(places)('a secret of the %s is made, read, set anew and deleted, and its value is never shown', async (place) => {
  const { client, paths, put, job, org, environment, repo } = await secretsOf();
  const path = paths[place];
  expect(await client.get(path)).toMatchObject({ status: 200, body: { total_count: 0, secrets: [] } });
  expect(await put(place, 'deploy_Key', 'canary-1')).toMatchObject({ status: 201, body: {} });
  const at = `${path}/DEPLOY_KEY`;
  const times = { created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:00Z' };
  const shown = { name: 'DEPLOY_KEY', ...times, ...(place === 'org' ? { visibility: 'all' } : {}) };
  expect(await client.get(at)).toMatchObject({ status: 200, body: shown });
  expect((await client.get(`${path}/deploy_key`)).body).toEqual(shown);
  expect((await client.get(path)).body).toEqual({ total_count: 1, secrets: [shown] });

  const load = () => job({ repository: repo.id, environment: environment.id });
  expect(await load()).toEqual({ DEPLOY_KEY: 'canary-1' });
  expect((await put(place, 'DEPLOY_KEY', 'canary-2 with ünïcode')).status).toBe(204);
  expect(await load()).toEqual({ DEPLOY_KEY: 'canary-2 with ünïcode' });
  for (const table of ['actions_secrets', 'encryption_keys', 'events'] as const) {
    const rows = await w.db.selectFrom(table).selectAll().execute();
    expect(
      rows
        .flatMap((row) => Object.values(row))
        .some((value) => (Buffer.isBuffer(value) ? value.includes('canary') : JSON.stringify(value)?.includes('canary'))),
    ).toBe(false);
  }

  expect((await client.delete(at)).status).toBe(204);
  for (const answer of [await client.get(at), await client.delete(at)]) expect(answer.status).toBe(404);
  expect(await load()).toEqual({});
  const told = (await eventsOf(w, org)).filter((kind) => kind.startsWith('actions_secret.'));
  expect(told).toEqual(['created', 'changed', 'deleted'].map((word) => `actions_secret.${word}`));
});

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

test.each([
  ['0KEY', 'a digit at its beginning'],
  ['MY-KEY', 'another character'],
  ['MY KEY', 'a blank'],
  ['ÄKEY', 'another letter'],
  ['service_key', 'what the server gives'],
  ['GitHub_key', 'what the server gives, in the other vocabulary'],
  ['K'.repeat(256), 'too many characters'],
])('the name %s is refused: %s', async (name) => {
  const { client, put } = await secretsOf();
  await put('repo', 'FIRST', 'v');
  await w.unchanged(tables, async () => {
    const reply = await put('repo', encodeURIComponent(name), 'v', {}, client);
    expect(reply).toMatchObject({ status: 422, body: { errors: [{ resource: 'ActionsSecret', field: 'secret_name' }] } });
  });
});

test('another key, what is no box for it, an empty secret and one of more than 48 KB are refused, and change nothing', async () => {
  const { client, paths, put } = await secretsOf();
  const right = await sealedFor(client, `${paths.repo}/public-key`, 'value');
  const foreign = await sealedFor(client, `${paths.environment}/public-key`, 'value');
  await sealedFor(client, `${paths.org}/public-key`, 'value');
  const wrong: [object, string][] = [
    [foreign, 'key_id'],
    [{ ...right, key_id: 'unknown' }, 'key_id'],
    [{ ...foreign, key_id: right.key_id }, 'encrypted_value'],
    [{ ...right, encrypted_value: 'c2VjcmV0' }, 'encrypted_value'],
    [{ ...right, encrypted_value: 'not base64!' }, 'encrypted_value'],
    [{ key_id: right.key_id }, 'encrypted_value'],
    [{ encrypted_value: right.encrypted_value }, 'key_id'],
    [await sealedFor(client, `${paths.repo}/public-key`, ''), 'encrypted_value'],
    [await sealedFor(client, `${paths.repo}/public-key`, 'v'.repeat(48 * 1024 + 1)), 'encrypted_value'],
  ];
  await w.unchanged(tables, async () => {
    for (const [body, field] of wrong)
      expect(await client.put(`${paths.repo}/KEY`, body)).toMatchObject({ status: 422, body: { errors: [{ field }] } });
    const unset = await client.put(`${paths.org}/KEY`, { visibility: 'all' });
    expect(unset).toMatchObject({ status: 422, body: { errors: [{ field: 'encrypted_value', code: 'missing_field' }] } });
    for (const [body, field] of [
      [{ key_id: right.key_id }, 'encrypted_value'],
      [{ encrypted_value: right.encrypted_value }, 'key_id'],
    ] as const)
      expect(await client.put(`${paths.org}/KEY`, { ...body, visibility: 'all' })).toMatchObject({
        status: 422,
        body: { errors: [{ field, code: 'missing_field' }] },
      });
    expect((await client.put(`${paths.org}/KEY`, right)).status).toBe(422);
  });
  expect((await put('repo', 'KEY', 'v'.repeat(48 * 1024))).status).toBe(201);
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

test('who writes to the repository sets its secrets; owners alone those of the organization', async () => {
  const { paths, owner, writer, reader, org, put } = await secretsOf();
  await Promise.all(places.map((place) => put(place, 'KEY', 'v')));
  const status = async (who: Parameters<typeof w.as>[0], path: string) => {
    const client = await w.as(who);
    const key = { key_id: '0', encrypted_value: 'c2VjcmV0', visibility: 'all' };
    return [
      (await client.get(path)).status,
      (await client.get(`${path}/public-key`)).status,
      (await client.get(`${path}/KEY`)).status,
      (await client.put(`${path}/KEY`, key)).status,
      (await client.delete(`${path}/NONE`)).status,
    ];
  };
  const all = [200, 200, 200, 422, 404];
  const reads = [200, 200, 200, 403, 403];
  // What may not be read is hidden in a repository, and refused in an organization.
  const none = [expect.toBeOneOf([403, 404]), expect.toBeOneOf([403, 404]), expect.toBeOneOf([403, 404]), 403, 403];
  for (const place of ['repo', 'environment'] as const) {
    expect(await status(writer, paths[place])).toEqual(all);
    expect(await status(reader, paths[place])).toEqual(none);
    expect(await status(undefined, paths[place])).toEqual([404, 404, 404, 404, 404]);
  }
  expect(await status(writer, paths.org)).toEqual(none);
  expect(await status(owner, paths.org)).toEqual(all);
  const held = { org: 'organization_secrets', repo: 'secrets', environment: 'environments' };
  for (const place of places) {
    expect(await status(await w.fineGrained(owner, org, { [held[place]]: 'write' }), paths[place])).toEqual(all);
    expect(await status(await w.fineGrained(owner, org, { [held[place]]: 'read' }), paths[place])).toEqual(reads);
    expect(await status(await w.fineGrained(owner, org, { actions: 'write', administration: 'write' }), paths[place])).toEqual(
      none,
    );
  }
  expect(await status(await w.token(owner, ['repo']), paths.org)).toEqual(none);
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
