import { expect, test } from 'vitest';
import { fresh, world } from '#test/support/world.ts';

const here = await world();
const owner = await here.user();
const client = await here.as(owner);
const on = { status: 'enabled' };
const off = { status: 'disabled' };

async function setting(count = 1, visibility: 'public' | 'private' = 'private') {
  const org = await here.org(owner);
  const repos = [];
  for (let made = 0; made < count; made++) repos.push(await here.repo(org, { name: fresh('engine'), by: owner, visibility }));
  const at = `/orgs/${org.login}/code-security/configurations`;
  const pathOf = (repo: { name: string }) => `/repos/${org.login}/${repo.name}`;
  const configure = async (wanted: object) => {
    const { status, body } = await client.post(at, { name: fresh('rules'), ...wanted });
    expect(status, JSON.stringify(body)).toBe(201);
    return body;
  };
  const attach = async ({ id }: { id: number }, wanted: object) => {
    expect(await client.post(`${at}/${id}/attach`, wanted)).toMatchObject({ status: 202, body: {} });
    await here.settle();
  };
  const switchesOf = async (repo: { name: string }) => (await client.get(pathOf(repo))).body.security_and_analysis;
  const statusOf = async (repo: { name: string }) =>
    (await client.get(`${pathOf(repo)}/code-security-configuration`)).body?.status;
  return { org, repos, first: repos[0] as (typeof repos)[0], at, pathOf, configure, attach, switchesOf, statusOf };
}

test('a configuration is made, shown, listed, changed and deleted, beside the global one', async () => {
  const { at, configure, org } = await setting(0);
  const made = await configure({ name: 'Engines', description: 'All', secret_scanning: 'enabled' });
  expect(made).toMatchObject({
    name: 'Engines',
    description: 'All',
    target_type: 'organization',
    enforcement: 'enforced',
    advanced_security: 'disabled',
    secret_scanning: 'enabled',
    secret_scanning_push_protection: 'disabled',
    dependency_bot_alerts: 'disabled',
    code_scanning_default_setup: 'not_set',
    dependency_graph: 'enabled',
    dependency_graph_autosubmit_action: 'not_set',
  });
  expect(made.url).toContain(`${at}/${made.id}`);
  expect((await client.get(`${at}/${made.id}`)).body).toEqual(made);
  const { body: all } = await client.get(at);
  const [global] = (await client.get(`${at}?target_type=global`)).body;
  expect(global).toMatchObject({ target_type: 'global', name: 'Recommended', secret_scanning_push_protection: 'enabled' });
  expect(all).toEqual([global, made]);
  const one = `${at}/${made.id}`;
  expect(await client.patch(one, { description: 'Some', dependency_bot_alerts: 'not_set' })).toMatchObject({
    status: 200,
    body: { name: 'Engines', description: 'Some', secret_scanning: 'enabled', dependency_bot_alerts: 'not_set' },
  });
  expect((await client.patch(one, { description: 'Some' })).status).toBe(204);
  await here.unchanged(['security_configurations'], async () => {
    expect((await client.post(at, { name: 'engines' })).body.errors).toMatchObject([{ field: 'name', code: 'already_exists' }]);
    expect((await client.patch(`${at}/${global.id}`, { name: 'Mine' })).status).toBe(403);
    expect((await client.delete(`${at}/${global.id}`)).status).toBe(403);
  });
  expect((await client.delete(one)).status).toBe(204);
  expect((await client.get(one)).status).toBe(404);
  const member = await here.user();
  await here.member(org, member);
  expect([403, 404]).toContain((await (await here.as(member)).get(at)).status);
});

test('of two configurations that take one name at once, one gets it', async () => {
  const { at, configure } = await setting(0);
  const made = [await configure({}), await configure({})];
  const replies = await Promise.all(made.map(({ id }) => client.patch(`${at}/${id}`, { name: 'Same' })));
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 422]);
});

test.each([
  [{ name: '' }, 'name'],
  [{ code_scanning_default_setup: 'enabled' }, 'code_scanning_default_setup'],
  [{ secret_scanning_validity_checks: 'enabled' }, 'secret_scanning_validity_checks'],
  [{ secret_scanning: 'disabled', secret_scanning_push_protection: 'enabled' }, 'secret_scanning_push_protection'],
  [{ dependabot_security_updates: 'enabled' }, 'dependency_bot_security_updates'],
  [{ dependency_graph: 'disabled', dependabot_alerts: 'enabled' }, 'dependency_bot_alerts'],
  [{ secret_scanning: 'on' }, 'secret_scanning'],
  [{ enforcement: 'maybe' }, 'enforcement'],
  [{ description: 'x'.repeat(256) }, 'description'],
])('%j is refused with its field, and nothing is stored', async (wanted, field) => {
  const { at } = await setting(0);
  await here.unchanged(['security_configurations'], async () => {
    const { status, body } = await client.post(at, { name: 'Bad', ...wanted });
    expect(status).toBe(422);
    expect(body.errors.map((error: { field: string }) => error.field)).toEqual([field]);
  });
});

test('an organization has 100 configurations at most, each of a name of its own', async () => {
  const { org, at, configure } = await setting(0);
  const [one] = [await configure({ name: 'One' }), await configure({ name: 'Two' })];
  const found = here.db.selectFrom('security_configurations').selectAll().where('organization_id', '=', org.id);
  const { id: _, ...row } = await found.executeTakeFirstOrThrow();
  const more = Array.from({ length: 97 }, (_, n) => ({ ...row, name: `More ${n}` }));
  const values = more.map(({ settings, switches, ...rest }) => ({
    ...rest,
    settings: JSON.stringify(settings),
    switches: JSON.stringify(switches),
  }));
  await here.db.insertInto('security_configurations').values(values).execute();
  await configure({ name: 'Last' });
  await here.unchanged(['security_configurations'], async () => {
    expect(await client.post(at, { name: 'Further' })).toMatchObject({
      status: 422,
      body: { errors: [{ field: 'name', message: 'An organization can have at most 100 configurations' }] },
    });
    expect(await client.patch(`${at}/${one.id}`, { name: 'TWO' })).toMatchObject({
      status: 422,
      body: { errors: [{ field: 'name', code: 'already_exists' }] },
    });
  });
  expect(await client.patch(`${at}/${one.id}`, { name: 'ONE' })).toMatchObject({ status: 200, body: { name: 'ONE' } });
});

test('where the graph alone is enforced, alerts may be turned off, and it stays on', async () => {
  const { org, first, pathOf, configure, attach } = await setting(1);
  await attach(await configure({ dependency_graph: 'enabled', dependency_bot_alerts: 'not_set' }), {
    scope: 'all',
  });
  const alerts = `${pathOf(first)}/vulnerability-alerts`;
  expect((await client.put(alerts)).status).toBe(204);
  expect((await client.delete(alerts)).status).toBe(204);
  expect((await client.get(alerts)).status).toBe(404);
  expect((await client.get(`${pathOf(first)}/dependency-graph/sbom`)).status).toBe(200);
  // Nor does the organization turn off in all repositories what it enforces in one.
  expect((await client.post(`/orgs/${org.login}/dependency_graph/disable_all`)).status).toBe(204);
  await here.settle();
  expect((await client.get(`${pathOf(first)}/dependency-graph/sbom`)).status).toBe(200);
});

test('an enforced configuration turns switches on in all repositories, and nobody changes them there', async () => {
  const { repos, first, at, pathOf, configure, attach, switchesOf, statusOf } = await setting(2);
  const made = await configure({
    secret_scanning: 'enabled',
    secret_scanning_push_protection: 'enabled',
    secret_scanning_non_provider_patterns: 'not_set',
    dependabot_alerts: 'enabled',
    dependabot_security_updates: 'not_set',
  });
  expect((await client.get(`${pathOf(first)}/code-security-configuration`)).status).toBe(204);
  await attach(made, { scope: 'all' });
  for (const repo of repos) {
    expect(await switchesOf(repo)).toMatchObject({ secret_scanning: on, secret_scanning_push_protection: on });
    expect((await client.get(`${pathOf(repo)}/vulnerability-alerts`)).status).toBe(204);
    expect((await client.get(`${pathOf(repo)}/code-security-configuration`)).body).toEqual({
      status: 'enforced',
      configuration: made,
    });
  }
  const { body: attached } = await client.get(`${at}/${made.id}/repositories`);
  expect(attached.map(({ status, repository }: (typeof attached)[0]) => [status, repository.name])).toEqual(
    repos.map(({ name }) => ['enforced', name]),
  );
  expect((await client.get(`${at}/${made.id}/repositories?status=failed,attached`)).body).toEqual([]);
  expect((await client.get(`${at}/${made.id}/repositories?status=sometimes`)).status).toBe(422);

  const message = expect.stringContaining('is enforced by the code security configuration');
  await here.unchanged(['repositories', 'events'], async () => {
    for (const security_and_analysis of [{ secret_scanning: off }, { secret_scanning_push_protection: off }])
      expect(await client.patch(pathOf(first), { security_and_analysis })).toMatchObject({ status: 422, body: { message } });
    expect(await client.delete(`${pathOf(first)}/vulnerability-alerts`)).toMatchObject({ status: 422, body: { message } });
  });
  const free = { secret_scanning: on, secret_scanning_non_provider_patterns: on };
  expect((await client.patch(pathOf(first), { security_and_analysis: free })).status).toBe(200);
  expect(await statusOf(first)).toBe('enforced');

  await client.patch(`${at}/${made.id}`, { secret_scanning_push_protection: 'disabled', enforcement: 'unenforced' });
  await here.settle();
  expect(await switchesOf(first)).toMatchObject({ secret_scanning: on, secret_scanning_push_protection: off });
  expect(await statusOf(first)).toBe('attached');
  expect((await client.patch(pathOf(first), { security_and_analysis: { secret_scanning: off } })).status).toBe(200);
  await here.settle();
  expect(await statusOf(first)).toBe('removed');
  expect((await client.get(`${at}/${made.id}/repositories?status=removed`)).body).toMatchObject([{ status: 'removed' }]);
  expect(await here.statements(owner, `${at}/${made.id}/repositories?per_page=1`)).toBe(
    await here.statements(owner, `${at}/${made.id}/repositories`),
  );
});

test('a repository that can not have what is asked for says that it failed, and others go on', async () => {
  const { repos, first, pathOf, configure, attach, statusOf } = await setting(2);
  const [, second] = repos as [typeof first, typeof first];
  await client.patch(pathOf(second), { security_and_analysis: { secret_scanning: on } });
  const made = await configure({ secret_scanning: 'not_set', secret_scanning_push_protection: 'enabled' });
  await attach(made, { scope: 'all' });
  expect([await statusOf(first), await statusOf(second)]).toEqual(['failed', 'enforced']);
});

test('a configuration is attached by scope or by name, replaces another one, and is detached', async () => {
  const { org, repos, first, at, pathOf, configure, attach, switchesOf, statusOf } = await setting(2);
  const [, second] = repos as [typeof first, typeof first];
  const [one, other] = [await configure({ secret_scanning: 'enabled' }), await configure({ secret_scanning: 'disabled' })];
  await attach(one, { scope: 'selected', selected_repository_ids: [first.id] });
  await attach(other, { scope: 'all_without_configurations' });
  expect((await client.get(`${at}/${other.id}/repositories`)).body).toMatchObject([{ repository: { id: second.id } }]);
  await attach(one, { scope: 'public' });
  expect(await switchesOf(second)).toMatchObject({ secret_scanning: off });
  await attach(one, { scope: 'private_or_internal' });
  expect(await switchesOf(second)).toMatchObject({ secret_scanning: on });
  const stranger = await here.repo(await here.org(owner), { name: fresh('engine'), by: owner });
  await here.unchanged(['security_configuration_repositories'], async () => {
    for (const wanted of [
      { scope: 'selected' },
      { scope: 'all', selected_repository_ids: [first.id] },
      { scope: 'selected', selected_repository_ids: [first.id, stranger.id] },
      { scope: 'some' },
    ])
      expect((await client.post(`${at}/${one.id}/attach`, wanted)).status, JSON.stringify(wanted)).toBe(422);
  });
  expect((await client.delete(`${at}/detach`, { selected_repository_ids: [first.id] })).status).toBe(204);
  expect(await statusOf(first)).toBeUndefined();
  expect((await client.get(`${at}/${one.id}/repositories?status=detached`)).body).toMatchObject([
    { repository: { id: first.id } },
  ]);
  expect(await switchesOf(first)).toMatchObject({ secret_scanning: on });
  expect((await client.patch(pathOf(first), { security_and_analysis: { secret_scanning: off } })).status).toBe(200);
  expect((await client.patch(pathOf(second), { security_and_analysis: { secret_scanning: off } })).status).toBe(422);
  expect((await client.delete(`${at}/${one.id}`)).status).toBe(204);
  expect(await statusOf(second)).toBeUndefined();
  expect((await client.patch(pathOf(second), { security_and_analysis: { secret_scanning: off } })).status).toBe(200);
  expect(org.login).toBeTruthy();
});

test('new repositories get the default of their visibility', async () => {
  const { org, at, configure, switchesOf, statusOf } = await setting(0);
  const [open, closed] = [await configure({ secret_scanning: 'enabled' }), await configure({ dependabot_alerts: 'enabled' })];
  const defaults = async () =>
    (await client.get(`${at}/defaults`)).body.map((row: { default_for_new_repos: string; configuration: { id: number } }) => [
      row.default_for_new_repos,
      row.configuration.id,
    ]);
  const set = (id: number, default_for_new_repos: string) => client.put(`${at}/${id}/defaults`, { default_for_new_repos });
  expect(await set(open.id, 'all')).toMatchObject({ status: 200, body: { default_for_new_repos: 'all', configuration: open } });
  expect(await defaults()).toEqual([['all', open.id]]);
  await set(closed.id, 'private_and_internal');
  expect(await defaults()).toEqual([
    ['public', open.id],
    ['private_and_internal', closed.id],
  ]);
  const make = async (visibility: string) =>
    (await client.post(`/orgs/${org.login}/repos`, { name: fresh('engine'), visibility })).body;
  const [publicOne, privateOne] = [await make('public'), await make('private')];
  await here.settle();
  expect(await switchesOf(publicOne)).toMatchObject({ secret_scanning: on });
  expect(await switchesOf(privateOne)).toMatchObject({ secret_scanning: off });
  expect((await client.get(`/repos/${org.login}/${privateOne.name}/vulnerability-alerts`)).status).toBe(204);
  expect(await statusOf(privateOne)).toBe('enforced');
  await set(closed.id, 'none');
  expect(await defaults()).toEqual([['public', open.id]]);
  expect((await set(closed.id, 'some')).status).toBe(422);
  const global = (await client.get(`${at}?target_type=global`)).body[0];
  await set(global.id, 'public');
  const recommended = await make('public');
  await here.settle();
  expect(await switchesOf(recommended)).toMatchObject({ secret_scanning_push_protection: on });
  expect((await client.get(`/repos/${org.login}/${recommended.name}/private-vulnerability-reporting`)).body).toEqual({
    enabled: true,
  });
});

test('a repository that goes to another owner leaves its configuration', async () => {
  const { first, pathOf, configure, attach } = await setting();
  await attach(await configure({ secret_scanning: 'enabled' }), { scope: 'all' });
  const other = await here.org(owner);
  expect((await client.post(`${pathOf(first)}/transfer`, { new_owner: other.login })).status).toBe(202);
  await here.settle();
  const moved = `/repos/${other.login}/${first.name}`;
  expect((await client.get(`${moved}/code-security-configuration`)).status).toBe(204);
  expect((await client.patch(moved, { security_and_analysis: { secret_scanning: off } })).status).toBe(200);
});

test('a product is turned on and off in all repositories that may have it so', async () => {
  const { org, repos, first, configure, attach, switchesOf } = await setting(2);
  const [, second] = repos as [typeof first, typeof first];
  const turn = (product: string, enablement: string) => client.post(`/orgs/${org.login}/${product}/${enablement}`);
  expect((await turn('secret_scanning', 'enable_all')).status).toBe(204);
  expect((await turn('secret_scanning', 'disable_all')).status).toBe(422);
  await here.settle();
  for (const repo of repos) expect(await switchesOf(repo)).toMatchObject({ secret_scanning: on });
  await attach(await configure({ secret_scanning: 'enabled' }), { scope: 'selected', selected_repository_ids: [first.id] });
  expect((await turn('secret_scanning', 'disable_all')).status).toBe(204);
  expect((await turn('dependabot_alerts', 'enable_all')).status).toBe(204);
  await here.settle();
  expect(await switchesOf(first)).toMatchObject({ secret_scanning: on });
  expect(await switchesOf(second)).toMatchObject({ secret_scanning: off });
  expect((await client.get(`/repos/${org.login}/${second.name}/vulnerability-alerts`)).status).toBe(204);
  expect((await turn('code_scanning_default_setup', 'enable_all')).status).toBe(422);
  expect((await turn('code_scanning_default_setup', 'disable_all')).status).toBe(204);
  expect(await turn('advanced_security', 'enable_all')).toMatchObject({
    status: 422,
    body: { message: "advanced_security can't be enabled: it is no part of this server." },
  });
  expect((await turn('advanced_security', 'disable_all')).status).toBe(204);
  expect((await turn('everything', 'enable_all')).status).toBe(404);
  expect((await turn('secret_scanning', 'enable_some')).status).toBe(404);
});

test('the dependency graph is a product of its own, which alerts need and turn on', async () => {
  const { org, first, pathOf, configure, attach } = await setting();
  const sbom = async () => (await client.get(`${pathOf(first)}/dependency-graph/sbom`)).status;
  const alerts = `${pathOf(first)}/vulnerability-alerts`;
  const turn = async (enablement: string) => {
    expect((await client.post(`/orgs/${org.login}/dependency_graph/${enablement}`)).status).toBe(204);
    await here.settle();
  };
  expect(await sbom()).toBe(404);
  await turn('enable_all');
  expect([await sbom(), (await client.get(alerts)).status]).toEqual([200, 404]);
  await client.put(alerts);
  await turn('disable_all');
  expect([await sbom(), (await client.get(alerts)).status]).toEqual([404, 404]);
  await client.put(alerts);
  expect(await sbom()).toBe(200);
  await client.delete(alerts);
  expect(await sbom()).toBe(404);

  const made = await configure({ dependabot_alerts: 'not_set' });
  await attach(made, { scope: 'all' });
  expect(await sbom()).toBe(200);
  await client.put(alerts);
  expect((await client.delete(alerts)).status).toBe(204);
  expect([await sbom(), (await client.get(alerts)).status]).toEqual([200, 404]);

  await client.patch(`/orgs/${org.login}`, { dependency_graph_enabled_for_new_repositories: true });
  const { body: fresher } = await client.post(`/orgs/${org.login}/repos`, { name: fresh('engine') });
  expect((await client.get(`${pathOf(fresher)}/dependency-graph/sbom`)).status).toBe(200);
});
