import { expect, test } from 'vitest';
import { loadSecretsForJob } from '#resources/actions/actions-secrets/index.ts';
import { loadBotSecretsForJob } from '#resources/actions/dependency-bot-secrets/index.ts';
import { setting } from '#test/resources/actions/actions-configuration/setting.ts';
import { eventsOf } from '#test/support/apps.ts';
import type { Client } from '#test/support/client.ts';
import { sealedFor } from '#test/support/sealed.ts';
import { world } from '#test/support/world.ts';

const w = await world();
const tables = ['actions_secrets', 'encryption_keys', 'repository_selections', 'selected_repositories', 'events'];
const owners = ['org', 'repo'] as const;
type Owner = (typeof owners)[number];

async function botSecrets() {
  const here = await setting(w);
  const paths = {
    org: `/orgs/${here.org.login}/dependency-bot/secrets`,
    repo: `${here.inRepo}/dependency-bot/secrets`,
  };
  /** Sets a secret, and gives the reply. */
  const put = async (of: Owner, name: string, value: string, more: object = {}, client: Client = here.client) => {
    const shared = of === 'org' ? { visibility: 'all' } : {};
    const sealed = await sealedFor(here.client, `${paths[of]}/public-key`, value);
    return client.put(`${paths[of]}/${name}`, { ...sealed, ...shared, ...more });
  };
  const { secrets } = w.hearth.services;
  const load = async (repository = here.repo.id) => Object.fromEntries(await loadBotSecretsForJob(w.db, secrets, repository));
  const loadOfWorkflows = async () =>
    Object.fromEntries(await loadSecretsForJob(w.db, secrets, { repository: here.repo.id, environment: here.environment.id }));
  return { ...here, paths, put, load, loadOfWorkflows };
}

test.each(owners)('secrets of the bot and of workflows for the %s are apart, also of the same name', async (of) => {
  const { client, paths, put, load, loadOfWorkflows } = await botSecrets();
  const ofWorkflows = paths[of].replace('dependency-bot', 'actions');
  const [botKey, key] = [await client.get(`${paths[of]}/public-key`), await client.get(`${ofWorkflows}/public-key`)];
  expect(botKey.body.key).not.toBe(key.body.key);
  await put(of, 'KEY', 'of the bot');
  expect(await loadOfWorkflows()).toEqual({});
  expect((await client.get(`${ofWorkflows}/KEY`)).status).toBe(404);
  expect((await client.get(ofWorkflows)).body.total_count).toBe(0);

  const sealed = await sealedFor(client, `${ofWorkflows}/public-key`, 'of workflows');
  const wanted = { ...sealed, ...(of === 'org' ? { visibility: 'all' } : {}) };
  await w.unchanged(tables, async () => {
    const refused = { status: 422, body: { errors: [{ resource: 'DependencyBotSecret', field: 'key_id' }] } };
    expect(await client.put(`${paths[of]}/OTHER`, wanted)).toMatchObject(refused);
  });
  expect((await client.put(`${ofWorkflows}/KEY`, wanted)).status).toBe(201);
  await client.put(`${ofWorkflows}/OTHER`, wanted);
  expect(await load()).toEqual({ KEY: 'of the bot' });
  expect(await loadOfWorkflows()).toEqual({ KEY: 'of workflows', OTHER: 'of workflows' });
  expect((await client.delete(`${ofWorkflows}/KEY`)).status).toBe(204);
  expect(await load()).toEqual({ KEY: 'of the bot' });
  expect((await client.delete(`${paths[of]}/OTHER`)).status).toBe(404);
});

test('a value that is moved from one store to the other can’t be opened', async () => {
  const { put, load, loadOfWorkflows, repo } = await botSecrets();
  await put('repo', 'KEY', 'v');
  expect(await load()).toEqual({ KEY: 'v' });
  await w.db.updateTable('actions_secrets').set({ store: 'actions' }).where('repository_id', '=', repo.id).execute();
  await expect(loadOfWorkflows()).rejects.toThrow();
});

test('an organization says which repositories the bot may use a secret for, by ids as numbers or texts', async () => {
  const { client, paths, put, load, repo, org, owner } = await botSecrets();
  const open = await w.repo(org, { by: owner });
  const seen = async () => [await load(), await load(open.id)].map((found) => Object.keys(found).length);
  const at = `${paths.org}/KEY`;
  expect((await put('org', 'KEY', 'v', { visibility: 'private' })).status).toBe(201);
  expect(await seen()).toEqual([1, 0]);
  expect((await client.put(at, { visibility: 'all' })).status).toBe(204);
  expect(await seen()).toEqual([1, 1]);
  expect((await client.put(at, { visibility: 'selected', selected_repository_ids: [open.id] })).status).toBe(204);
  expect(await seen()).toEqual([0, 1]);
  expect((await client.put(at, { visibility: 'selected', selected_repository_ids: [String(repo.id)] })).status).toBe(204);
  expect(await seen()).toEqual([1, 0]);
  const { body } = await client.get(at);
  expect(body).toMatchObject({ visibility: 'selected', selected_repositories_url: `${w.url}/api/v3${at}/repositories` });

  const listed = async () => (await client.get(`${at}/repositories`)).body.repositories.map(({ id }: { id: number }) => id);
  expect(await listed()).toEqual([repo.id]);
  expect((await client.put(`${at}/repositories/${open.id}`)).status).toBe(204);
  expect(await seen()).toEqual([1, 1]);
  expect((await client.delete(`${at}/repositories/${repo.id}`)).status).toBe(204);
  expect(await listed()).toEqual([open.id]);
  expect((await client.put(`${at}/repositories`, { selected_repository_ids: [repo.id] })).status).toBe(204);
  expect(await seen()).toEqual([1, 0]);
  const changes = (await eventsOf(w, org)).filter((kind) => kind === 'dependency_bot_secret.changed');
  expect(changes).toHaveLength(6);
  const elsewhere = await w.repo(owner);
  await w.unchanged(tables, async () => {
    for (const id of [elsewhere.id, 'x', '0', '-1', 1.5, null])
      expect((await client.put(at, { visibility: 'selected', selected_repository_ids: [id] })).status).toBe(422);
  });
  await client.put(at, { visibility: 'all' });
  await w.unchanged(tables, async () => {
    expect((await client.put(`${at}/repositories/${repo.id}`)).status).toBe(409);
    expect((await client.delete(`${at}/repositories/${repo.id}`)).status).toBe(409);
    expect((await client.put(`${at}/repositories`, { selected_repository_ids: [repo.id] })).status).toBe(409);
  });
});

test('a repository’s secret overrides its organization’s; a transferred repository loses that, and with it go its own', async () => {
  const { client, owner, inRepo, repo, put, load } = await botSecrets();
  await put('org', 'KEY', 'organization');
  await put('org', 'OTHER', 'organization');
  await put('repo', 'KEY', 'repository');
  expect(await load()).toEqual({ KEY: 'repository', OTHER: 'organization' });
  const elsewhere = await w.org(owner);
  expect((await client.post(`${inRepo}/transfer`, { new_owner: elsewhere.login })).status).toBe(202);
  expect(await load()).toEqual({ KEY: 'repository' });
  await w.settle();
  expect((await client.delete(`/repos/${elsewhere.login}/${repo.name}`)).status).toBe(204);
  await w.settle();
  const left = await w.db.selectFrom('actions_secrets').select('id').where('repository_id', '=', repo.id).execute();
  expect(left).toEqual([]);
});

test('the stores count towards their limits apart, also of concurrent requests', async () => {
  const { repo, put, client, inRepo } = await botSecrets();
  await put('repo', 'S0', 'v');
  const found = w.db.selectFrom('actions_secrets').selectAll().where('repository_id', '=', repo.id);
  const { id: _id, ...rest } = await found.executeTakeFirstOrThrow();
  const more = Array.from({ length: 98 }, (_, at) => ({ ...rest, name: `S${at + 1}` }));
  await w.db.insertInto('actions_secrets').values(more).execute();
  const answers = await Promise.all(['X', 'Y', 'Z'].map((name) => put('repo', name, 'v')));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422]);
  expect((await put('repo', 'S5', 'v')).status).toBe(204);
  const sealed = await sealedFor(client, `${inRepo}/actions/secrets/public-key`, 'v');
  expect((await client.put(`${inRepo}/actions/secrets/ONE`, sealed)).status).toBe(201);
});

test('a list costs as many statements for 1 secret as for 30', async () => {
  const { owner, paths, put } = await botSecrets();
  await Promise.all(owners.map((of) => put(of, 'KEY', 'v')));
  const counts = () => Promise.all(owners.map((of) => w.statements(owner, paths[of])));
  const before = await counts();
  for (let at = 0; at < 29; at++) await Promise.all(owners.map((of) => put(of, `KEY_${at}`, 'v')));
  expect(await counts()).toEqual(before);
  expect(before).toEqual([2, 2]);
});
