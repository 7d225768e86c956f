import { expect, test } from 'vitest';
import { installApp, oauthToken } from '#test/support/apps.ts';
import { fresh, type World, world } from '#test/support/world.ts';

/** An owner with an organization. */
async function setting({ user, org }: World) {
  const owner = await user();
  return { owner, org: await org(owner) };
}

test('public_repo creates public repositories, and no others', async () => {
  const here = await world();
  const { owner, org } = await setting(here);
  const template = await here.repo(org, { by: owner });
  await (await here.as(owner)).patch(`/repos/${org.login}/${template.name}`, { is_template: true });

  for (const token of [await here.token(owner, ['public_repo']), await oauthToken(here, owner, ['public_repo'])]) {
    const client = await here.as(token);
    const generate = `/repos/${org.login}/${template.name}/generate`;
    await here.unchanged(['repositories', 'events'], async () => {
      const name = fresh('hidden');
      expect(await client.post('/user/repos', { name, private: true })).toMatchObject({ status: 403 });
      expect(await client.post(`/orgs/${org.login}/repos`, { name, visibility: 'private' })).toMatchObject({ status: 403 });
      expect(await client.post(`/orgs/${org.login}/repos`, { name, visibility: 'internal' })).toMatchObject({ status: 403 });
      expect(await client.post(generate, { name, private: true })).toMatchObject({ status: 403 });
    });
    expect(await client.post('/user/repos', { name: fresh('open') })).toMatchObject({ status: 201, body: { private: false } });
    expect(await client.post(`/orgs/${org.login}/repos`, { name: fresh('open') })).toMatchObject({ status: 201 });
    expect(await client.post(generate, { name: fresh('open') })).toMatchObject({ status: 201, body: { private: false } });
  }
});

test('a fine-grained token for an organization creates none for the person behind it', async () => {
  const here = await world();
  const { owner, org } = await setting(here);
  const [own, other] = [
    await here.fineGrained(owner, owner, { administration: 'write' }),
    await here.fineGrained(owner, org, { administration: 'write' }),
  ];

  await here.unchanged(['repositories', 'events'], async () => {
    expect(await (await here.as(other)).post('/user/repos', { name: fresh('repo') })).toMatchObject({ status: 403 });
  });
  expect(await (await here.as(own)).post('/user/repos', { name: fresh('repo') })).toMatchObject({ status: 201 });
  expect(await (await here.as(other)).post(`/orgs/${org.login}/repos`, { name: fresh('repo') })).toMatchObject({ status: 201 });
});

test('document 3: an installation forks and generates in its organization', async () => {
  const here = await world();
  const { owner, org } = await setting(here);
  const engine = await here.repo(org, { name: 'engine', visibility: 'private', by: owner });
  await (await here.as(owner)).patch(`/repos/${org.login}/engine`, { is_template: true });
  const { token, bot } = await installApp(here, { on: org, permissions: { administration: 'write', contents: 'read' } });
  const client = await here.as(token);

  const forked = await client.post(`/repos/${org.login}/engine/forks`, { organization: org.login, name: 'twin' });
  const generated = await client.post(`/repos/${org.login}/engine/generate`, { owner: org.login, name: 'copy', private: true });

  const inside = { owner: { login: org.login }, private: true };
  expect(forked).toMatchObject({ status: 202, body: { ...inside, name: 'twin', fork: true, parent: { id: engine.id } } });
  expect(generated).toMatchObject({ status: 201, body: { ...inside, name: 'copy', fork: false } });
  const row = await here.db.selectFrom('repositories').select('created_by').where('id', '=', forked.body.id).executeTakeFirst();
  expect(row).toEqual({ created_by: bot.id });
  for (const path of ['forks', 'generate'])
    expect(await client.post(`/repos/${org.login}/engine/${path}`, { name: fresh('repo') })).toMatchObject({ status: 422 });
});

test('a repository is forked into its own organization under another name, and not into its own user', async () => {
  const here = await world();
  const { owner, org } = await setting(here);
  await here.repo(org, { name: 'engine', by: owner });
  await here.repo(owner, { name: 'engine' });
  const client = await here.as(owner);

  const first = await client.post(`/repos/${org.login}/engine/forks`, { organization: org.login });
  const again = await client.post(`/repos/${org.login}/engine/forks`, { organization: org.login });
  const own = await client.post(`/repos/${owner.login}/engine/forks`, {});

  expect(first).toMatchObject({ status: 202, body: { full_name: `${org.login}/engine-1` } });
  expect(again).toMatchObject({ status: 202, body: { id: first.body.id } });
  expect(own.status).toBe(403);
});

test('an app makes nothing in the account of a user who has not installed it there', async () => {
  const here = await world();
  const { owner, org } = await setting(here);
  const engine = await here.repo(org, { by: owner });
  await (await here.as(owner)).patch(`/repos/${org.login}/${engine.name}`, { is_template: true });
  const path = `/repos/${org.login}/${engine.name}`;
  const installed = await installApp(here, { on: org, permissions: { administration: 'write', contents: 'read' } });
  const client = await here.as(await installed.userToken(owner));
  const wanted = { forks: {}, generate: { name: fresh('copy') }, transfer: { new_owner: owner.login, new_name: fresh('moved') } };

  await here.unchanged(['repositories', 'events'], async () => {
    for (const [action, body] of Object.entries(wanted))
      expect(await client.post(`${path}/${action}`, body)).toMatchObject({ status: 422 });
  });
  await here.db
    .insertInto('installations')
    .values({
      app_id: here.db.selectFrom('installations').select('app_id').where('id', '=', installed.installation),
      account_id: owner.id,
      repository_selection: 'all',
      permissions: JSON.stringify({ administration: 'write' }),
      created_at: here.clock.now,
      updated_at: here.clock.now,
    })
    .execute();
  for (const [action, body] of Object.entries(wanted))
    expect([action, (await client.post(`${path}/${action}`, body)).status]).toEqual([action, action === 'generate' ? 201 : 202]);
});
