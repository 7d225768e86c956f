import { expect, test } from 'vitest';
import type { RepositoryRow } from '#access/viewer.ts';
import { countStatements } from '#database/client.ts';
import { fresh, world } from '#test/support/world.ts';
import { makeSetting, settingsTables } from './setting.ts';

const here = await world();
const checkout = { kind: 'action', owner: 'actions', repo: 'checkout', path: '', ref: 'v4' } as const;
const tool = { kind: 'action', owner: 'octo', repo: 'tool', path: 'build', ref: 'v2' } as const;

test('nothing is restricted at first', async () => {
  const { client, ofOrg, of, engine, own, policy } = await makeSetting(here);
  const everything = { allowed_actions: 'all', sha_pinning_required: false };
  expect((await client.get(ofOrg)).body).toEqual({ enabled_repositories: 'all', ...everything });
  for (const repo of [engine, own]) {
    expect((await client.get(of(repo))).body).toEqual({ enabled: true, ...everything });
    expect(await policy(repo)).toMatchObject({ enabled: true, shaPinningRequired: false, selfHostedRunnersAllowed: true });
    expect((await policy(repo)).allowsAction(tool)).toBe(true);
  }
});

test('an organization lets all, none or selected repositories run workflows', async () => {
  const { client, ofOrg, of, engine, wheel, policy, put } = await makeSetting(here);
  const enabled = async (repo: RepositoryRow) => {
    const { body } = await client.get(of(repo));
    expect((await policy(repo)).enabled).toBe(body.enabled);
    return body.enabled;
  };
  await put(ofOrg, { enabled_repositories: 'none' });
  expect([await enabled(engine), await enabled(wheel)]).toEqual([false, false]);
  await put(ofOrg, { enabled_repositories: 'selected' });
  await put(`${ofOrg}/repositories`, { selected_repository_ids: [engine.id] });
  expect((await client.get(ofOrg)).body).toMatchObject({
    enabled_repositories: 'selected',
    selected_repositories_url: expect.stringMatching(new RegExp(`/api/v3${ofOrg}/repositories$`)),
  });
  expect([await enabled(engine), await enabled(wheel)]).toEqual([true, false]);
  await put(`${ofOrg}/repositories/${wheel.id}`);
  expect((await client.get(`${ofOrg}/repositories`)).body).toMatchObject({ total_count: 2 });
  expect((await client.delete(`${ofOrg}/repositories/${engine.id}`)).status).toBe(204);
  expect([await enabled(engine), await enabled(wheel)]).toEqual([false, true]);
  await put(ofOrg, { enabled_repositories: 'selected', allowed_actions: 'local_only' });
  expect([await enabled(engine), await enabled(wheel)]).toEqual([false, true]);
  await put(ofOrg, { enabled_repositories: 'all' });
  expect((await client.get(ofOrg)).body).toMatchObject({ enabled_repositories: 'all', allowed_actions: 'local_only' });
  expect([await enabled(engine), await enabled(wheel)]).toEqual([true, true]);
});

test('a repository switches workflows off and on, but not on where its organization keeps it from them', async () => {
  const { client, ofOrg, of, engine, policy, put } = await makeSetting(here);
  await put(of(engine), { enabled: false });
  expect((await client.get(of(engine))).body.enabled).toBe(false);
  expect((await policy(engine)).enabled).toBe(false);
  await put(of(engine), { enabled: true });
  await put(ofOrg, { enabled_repositories: 'selected' });
  await here.unchanged(settingsTables, async () => {
    expect(await client.put(of(engine), { enabled: true })).toMatchObject({
      status: 409,
      body: { message: 'The organization does not let this repository run workflows' },
    });
  });
  await put(of(engine), { enabled: false });
  await put(ofOrg, { enabled_repositories: 'all' });
  expect((await policy(engine)).enabled).toBe(false);
});

test('repositories are selected only while the setting is for selected ones', async () => {
  const { client, ofOrg, engine } = await makeSetting(here);
  for (const path of [ofOrg, `${ofOrg}/self-hosted-runners`])
    await here.unchanged(settingsTables, async () => {
      const message = 'The setting holds for all repositories. Set it to selected repositories first.';
      expect(await client.put(`${path}/repositories`, { selected_repository_ids: [engine.id] })).toMatchObject({
        status: 409,
        body: { message },
      });
      expect((await client.put(`${path}/repositories/${engine.id}`)).status).toBe(409);
      expect((await client.delete(`${path}/repositories/${engine.id}`)).status).toBe(409);
      expect((await client.get(`${path}/repositories`)).body).toEqual({ total_count: 0, repositories: [] });
    });
});

test('two who set the repositories at once make one selection', async () => {
  const { client, ofOrg, org } = await makeSetting(here);
  const modes = ['none', 'selected', 'all', 'none'];
  await Promise.all(modes.map((mode) => client.put(ofOrg, { enabled_repositories: mode })));
  const made = await here.db.selectFrom('repository_selections').select('id').where('organization_id', '=', org.id).execute();
  expect(made).toHaveLength(1);
});

test('an organization narrows the actions, and its repositories may narrow them further alone', async () => {
  const { client, ofOrg, of, engine, policy, put } = await makeSetting(here);
  await put(of(engine), { enabled: true, allowed_actions: 'all' });
  await put(ofOrg, { enabled_repositories: 'all', allowed_actions: 'local_only', sha_pinning_required: true });
  expect((await client.get(of(engine))).body).toEqual({
    enabled: true,
    allowed_actions: 'local_only',
    sha_pinning_required: true,
  });
  const refused = async (body: object, name: string) =>
    here.unchanged(settingsTables, async () => {
      const message = `The organization allows no such value of ${name}`;
      expect(await client.put(of(engine), { enabled: true, ...body })).toMatchObject({ status: 409, body: { message } });
    });
  await refused({ allowed_actions: 'all' }, 'allowed_actions');
  await refused({ allowed_actions: 'selected' }, 'allowed_actions');
  await refused({ sha_pinning_required: false }, 'sha_pinning_required');
  await put(of(engine), { enabled: true, allowed_actions: 'local_only', sha_pinning_required: true });
  await put(ofOrg, { enabled_repositories: 'all', allowed_actions: 'all', sha_pinning_required: false });
  expect((await client.get(of(engine))).body).toMatchObject({ allowed_actions: 'local_only', sha_pinning_required: true });
  expect((await policy(engine)).allowsAction(checkout)).toMatchObject({ reason: expect.any(String) });
});

test('the list of selected actions is there while actions are selected', async () => {
  const { client, ofOrg, of, engine, put } = await makeSetting(here);
  for (const path of [ofOrg, of(engine)])
    await here.unchanged(settingsTables, async () => {
      expect((await client.get(`${path}/selected-actions`)).status).toBe(409);
      expect((await client.put(`${path}/selected-actions`, { service_owned_allowed: true })).status).toBe(409);
    });
  await put(ofOrg, { enabled_repositories: 'all', allowed_actions: 'selected' });
  expect((await client.get(ofOrg)).body.selected_actions_url).toMatch(new RegExp(`/api/v3${ofOrg}/selected-actions$`));
  const nothing = { service_owned_allowed: false, verified_allowed: false, patterns_allowed: [] };
  expect((await client.get(`${ofOrg}/selected-actions`)).body).toEqual(nothing);
  await put(`${ofOrg}/selected-actions`, { patterns_allowed: ['octo/*', '!octo/bad@*'] });
  await put(`${ofOrg}/selected-actions`, { service_owned_allowed: true });
  await put(`${ofOrg}/selected-actions`);
  const list = { service_owned_allowed: true, verified_allowed: false, patterns_allowed: ['octo/*', '!octo/bad@*'] };
  expect((await client.get(`${ofOrg}/selected-actions`)).body).toEqual(list);
  // Without a list of its own, a repository has that of its organization.
  expect((await client.get(`${of(engine)}/selected-actions`)).body).toEqual(list);
  expect((await client.get(of(engine))).body.selected_actions_url).toMatch(new RegExp(`/api/v3${of(engine)}/selected-actions$`));
});

test('a repository narrows the list of its organization, and an action must be in both', async () => {
  const { client, ofOrg, of, engine, wheel, policy, put } = await makeSetting(here);
  await put(ofOrg, { enabled_repositories: 'all', allowed_actions: 'selected' });
  await put(`${ofOrg}/selected-actions`, { service_owned_allowed: true, patterns_allowed: ['octo/*', 'ada/kit@v1'] });
  const path = `${of(engine)}/selected-actions`;
  for (const [wanted, name] of [
    [{ patterns_allowed: ['*/*'] }, 'patterns_allowed'],
    [{ patterns_allowed: ['ada/kit@*'] }, 'patterns_allowed'],
    [{ patterns_allowed: ['octo/tool', 'eve/kit@v1'] }, 'patterns_allowed'],
    [{ verified_allowed: true }, 'verified_allowed'],
  ] as const)
    await here.unchanged(settingsTables, async () => {
      const message = `The organization allows no such value of ${name}`;
      expect(await client.put(path, wanted)).toMatchObject({ status: 409, body: { message } });
    });
  await put(path, { service_owned_allowed: false, patterns_allowed: ['octo/tool@v2', 'actions/cache@v4', '!octo/x'] });
  const { allowsAction } = await policy(engine);
  expect(allowsAction(tool)).toBe(true);
  expect(allowsAction({ ...tool, ref: 'v3' })).toEqual({
    reason: "octo/tool/build@v3 isn't among the actions and workflows that the repository allows",
  });
  expect(allowsAction(checkout)).toMatchObject({ reason: expect.stringContaining('the repository allows') });
  const other = await policy(wheel);
  expect([other.allowsAction(checkout), other.allowsAction({ ...tool, ref: 'v3' })]).toEqual([true, true]);
  await put(`${ofOrg}/selected-actions`, { patterns_allowed: ['!octo/*'] });
  expect((await policy(engine)).allowsAction(tool)).toMatchObject({
    reason: expect.stringContaining('the organization allows'),
  });
});

test.each([
  'octo',
  '*',
  'octo/',
  '/tool',
  'octo/tool@',
  'octo/tool@v1@v2',
  'octo/to ol\n',
  'octo/[a-z]',
  '!',
  '!!a/b',
  'docker://',
])('the pattern %o is refused', async (pattern) => {
  const { client, ofOrg, put } = await makeSetting(here);
  await put(ofOrg, { enabled_repositories: 'all', allowed_actions: 'selected' });
  await here.unchanged(settingsTables, async () => {
    const errors = [{ resource: 'SelectedActions', field: 'patterns_allowed', code: 'invalid' }];
    expect(await client.put(`${ofOrg}/selected-actions`, { patterns_allowed: ['a/b', pattern] })).toMatchObject({
      status: 422,
      body: { errors },
    });
  });
});

test('self-hosted runners of repositories are for all, for none or for selected ones', async () => {
  const { client, ofOrg, engine, wheel, own, policy, put } = await makeSetting(here);
  const path = `${ofOrg}/self-hosted-runners`;
  const allowed = async () =>
    Promise.all([engine, wheel, own].map(async (repo) => (await policy(repo)).selfHostedRunnersAllowed));
  expect((await client.get(path)).body).toEqual({ enabled_repositories: 'all' });
  await put(path, { enabled_repositories: 'none' });
  expect((await client.get(path)).body).toEqual({ enabled_repositories: 'none' });
  expect(await allowed()).toEqual([false, false, true]);
  await put(path, { enabled_repositories: 'selected', selected_repository_ids: [engine.id] });
  expect((await client.get(path)).body.selected_repositories_url).toMatch(new RegExp(`/api/v3${path}/repositories$`));
  expect(await allowed()).toEqual([true, false, true]);
  await put(`${path}/repositories/${wheel.id}`);
  expect((await client.delete(`${path}/repositories/${engine.id}`)).status).toBe(204);
  expect((await client.get(`${path}/repositories`)).body).toMatchObject({ total_count: 1, repositories: [{ id: wheel.id }] });
  expect(await allowed()).toEqual([false, true, true]);
  await put(`${path}/repositories`, { selected_repository_ids: [] });
  expect(await allowed()).toEqual([false, false, true]);
  expect((await policy(engine)).enabled).toBe(true);
});

test('a repository that goes to another organization follows that one', async () => {
  const { owner, org, client, ofOrg, of, engine, policy, put } = await makeSetting(here);
  const other = await here.org(owner);
  await put(`/orgs/${other.login}/actions/permissions`, { enabled_repositories: 'all', allowed_actions: 'local_only' });
  await put(ofOrg, { enabled_repositories: 'selected' });
  await put(`${ofOrg}/repositories`, { selected_repository_ids: [engine.id] });
  await put(of(engine), { enabled: true, allowed_actions: 'all' });
  expect((await client.post(`/repos/${org.login}/${engine.name}/transfer`, { new_owner: other.login })).status).toBe(202);
  const moved = { ...engine, owner_id: other.id };
  expect((await policy(moved)).allowsAction(checkout)).not.toBe(true);
  expect((await policy(moved)).allowsAction({ ...tool, owner: other.login.toUpperCase() })).toBe(true);
});

test('members and those who only write to a repository neither read nor change these settings', async () => {
  const { org, engine, ofOrg, of } = await makeSetting(here);
  const [member, writer] = [await here.user(), await here.user()];
  await here.member(org, member);
  await here.collaborator(engine, writer, 'maintain');
  const statuses = async (who: typeof member, path: string, body: object) => {
    const client = await here.as(who);
    return [(await client.get(path)).status, (await client.put(path, body)).status];
  };
  await here.unchanged(settingsTables, async () => {
    expect(await statuses(member, ofOrg, { enabled_repositories: 'none' })).toEqual([404, 403]);
    expect(await statuses(writer, of(engine), { enabled: false })).toEqual([404, 403]);
    expect(await statuses(await here.user(), of(engine), { enabled: false })).toEqual([404, 404]);
  });
});

test('each change is an event, in the organization or in the repository', async () => {
  const { org, owner, ofOrg, of, engine, put } = await makeSetting(here);
  await put(ofOrg, { enabled_repositories: 'all', allowed_actions: 'selected' });
  await put(`${ofOrg}/selected-actions`, { patterns_allowed: ['octo/*'] });
  await put(`${ofOrg}/self-hosted-runners`, { enabled_repositories: 'none' });
  await put(of(engine), { enabled: false });
  const events = await here.db
    .selectFrom('events')
    .select(['repository_id', 'actor_id', 'data'])
    .where('kind', '=', 'actions_settings.changed')
    .where('owner_id', '=', org.id)
    .orderBy('id')
    .execute();
  const inOrg = { repository_id: null, actor_id: owner.id };
  expect(events).toEqual([
    { ...inOrg, data: { enabled_repositories: 'all', allowed_actions: 'selected' } },
    { ...inOrg, data: { patterns_allowed: ['octo/*'] } },
    { ...inOrg, data: { self_hosted_runners_of: 'none' } },
    { ...inOrg, repository_id: engine.id, data: { enabled: false } },
  ]);
});

test('reading costs the same few statements, whatever was set', async () => {
  const { owner, org, ofOrg, of, engine, policy, put } = await makeSetting(here);
  const counted = async () => [
    await here.statements(owner, ofOrg),
    await here.statements(owner, of(engine)),
    await here.statements(owner, `${of(engine)}/workflow`),
  ];
  const before = await counted();
  expect(before).toEqual([2, 3, 3]);
  expect((await countStatements(() => policy(engine))).statements).toHaveLength(2);
  await put(ofOrg, { enabled_repositories: 'selected', allowed_actions: 'selected' });
  await put(`${ofOrg}/selected-actions`, { patterns_allowed: Array.from({ length: 1000 }, (_, i) => `octo/tool-${i}@v1`) });
  await put(`${ofOrg}/repositories/${engine.id}`);
  expect(await counted()).toEqual(before);
  const few = await here.statements(owner, `${ofOrg}/repositories`);
  for (let i = 0; i < 10; i++) {
    const repo = await here.repo(org, { name: fresh('more'), by: owner });
    await put(`${ofOrg}/repositories/${repo.id}`);
  }
  expect(await here.statements(owner, `${ofOrg}/repositories`)).toBe(few);
});
