import { expect, test } from 'vitest';
import { addFile } from '#test/resources/code/commits/setting.ts';
import { fresh, world } from '#test/support/world.ts';
import { gatekeeper } from './setting.ts';

const w = await world();

async function setting(visibility: 'public' | 'private' = 'public') {
  const ada = await w.user();
  const org = await w.org(ada);
  const repo = await w.repo(org, { visibility, by: ada });
  const client = await w.as(ada);
  const base = `/repos/${org.login}/${repo.name}`;
  const team = async (privacy: 'closed' | 'secret' = 'closed') => {
    const { body } = await client.post(`/orgs/${org.login}/teams`, { name: fresh('team'), privacy });
    await client.put(`/orgs/${org.login}/teams/${body.slug}/repos/${org.login}/${repo.name}`, { permission: 'pull' });
    return body;
  };
  return { ada, org, repo, client, base, team, environments: `${base}/environments` };
}

const custom = { deployment_branch_policy: { protected_branches: false, custom_branch_policies: true } };

test('an environment is created, set anew as a whole, listed and deleted', async () => {
  const { ada, org, repo, client, environments, team } = await setting();
  const reviewers = await team();
  const wanted = {
    wait_timer: 30,
    prevent_self_review: true,
    reviewers: [
      { type: 'User', id: ada.id },
      { type: 'Team', id: reviewers.id },
      { type: 'User', id: ada.id },
    ],
    ...custom,
  };
  const { status, body } = await client.put(`${environments}/Production`, wanted);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    name: 'Production',
    url: `${w.url}/api/v3${environments}/Production`,
    html_url: `${w.url}/${org.login}/${repo.name}/deployments/activity_log?environments_filter=Production`,
    created_at: '2026-01-01T00:00:00Z',
    protection_rules: [
      { type: 'wait_timer', wait_timer: 30 },
      {
        type: 'required_reviewers',
        prevent_self_review: true,
        reviewers: [
          { type: 'User', reviewer: { login: ada.login } },
          { type: 'Team', reviewer: { slug: reviewers.slug } },
        ],
      },
      { type: 'branch_policy' },
    ],
    ...custom,
  });
  expect((await client.get(`${environments}/production`)).body).toEqual(body);
  const { body: list } = await client.get(environments);
  expect(list).toEqual({ total_count: 1, environments: [body] });

  // What stays keeps its id; what is left out is gone; the name stays as it was first written.
  const { body: second } = await client.put(`${environments}/PRODUCTION`, { wait_timer: 5 });
  expect(second).toMatchObject({ id: body.id, name: 'Production', deployment_branch_policy: null });
  expect(second.protection_rules).toEqual([{ ...body.protection_rules[0], wait_timer: 5 }]);
  expect((await client.put(`${environments}/production`)).body.protection_rules).toEqual([]);

  expect((await client.delete(`${environments}/production`)).status).toBe(204);
  expect((await client.get(`${environments}/production`)).status).toBe(404);
  expect((await client.get(environments)).body).toEqual({ total_count: 0, environments: [] });
});

test('names may hold slashes and other letters, which clients escape', async () => {
  const { client, environments } = await setting();
  for (const name of ['review/feature 1', 'größe', 'a%2Fb', '日本', 'x?y#z']) {
    const at = `${environments}/${encodeURIComponent(name)}`;
    const { status, body } = await client.put(at, custom);
    expect(status, name).toBe(200);
    expect(body).toMatchObject({ name, url: `${w.url}/api/v3${at}` });
    expect((await client.get(at)).body).toEqual(body);
    expect((await client.post(`${at}/deployment-branch-policies`, { name: 'main' })).status).toBe(200);
    expect((await client.delete(at)).status).toBe(204);
  }
  expect((await client.put(`${environments}/a`)).status).toBe(200);
  for (const unknown of ['a/b', 'a/others', 'a/variables/X'])
    expect((await client.get(`${environments}/${unknown}`)).status).toBe(404);
});

test('settings that cannot be are refused, and change nothing', async () => {
  const { ada, org, client, environments, team } = await setting('private');
  const [eve, secret] = [await w.user(), await team('secret')];
  const { body: foreign } = await client.post(`/orgs/${org.login}/teams`, { name: fresh('other') });
  await client.put(`${environments}/production`, { wait_timer: 1, ...custom });
  await client.post(`${environments}/production/deployment-branch-policies`, { name: 'main' });
  const user = { type: 'User', id: ada.id };
  const bad: unknown[] = [
    { wait_timer: -1 },
    { wait_timer: 43_201 },
    { wait_timer: '5' },
    { prevent_self_review: 'yes' },
    { reviewers: [{ type: 'User', id: eve.id }] },
    { reviewers: [{ type: 'Team', id: foreign.id }] },
    { reviewers: [{ type: 'Team', id: 2_000_000_000 }] },
    { reviewers: [{ type: 'User', id: secret.id + 1_000_000 }] },
    { reviewers: [{ type: 'Bot', id: ada.id }] },
    { reviewers: [{ type: 'User' }] },
    { reviewers: Array.from({ length: 7 }, () => user) },
    { deployment_branch_policy: { protected_branches: true, custom_branch_policies: true } },
    { deployment_branch_policy: { protected_branches: false, custom_branch_policies: false } },
    { deployment_branch_policy: { protected_branches: true } },
    { deployment_branch_policy: 'all' },
  ];
  const tables = ['environments', 'environment_rules', 'environment_reviewers', 'environment_branch_policies', 'events'];
  await w.unchanged(tables, async () => {
    for (const body of bad) expect((await client.put(`${environments}/production`, body)).status, JSON.stringify(body)).toBe(422);
    for (const name of ['%20', 'a%20', 'a%0Ab', 'x'.repeat(256)])
      expect((await client.put(`${environments}/${name}`)).status, name).toBe(422);
  });
  expect((await client.put(`${environments}/${'x'.repeat(255)}`)).status).toBe(200);
  expect((await client.put(`${environments}/production`, { wait_timer: 43_200, reviewers: null })).status).toBe(200);
});

test('secret teams are neither shown to those who may not see them, nor found by their ids', async () => {
  const { org, repo, client, environments, team } = await setting('private');
  const [bob, secret] = [await w.user(), await team('secret')];
  await w.collaborator(repo, bob, 'admin');
  const reviewers = [{ type: 'Team', id: secret.id }];
  const asBob = await w.as(bob);
  expect((await asBob.put(`${environments}/production`, { reviewers })).status).toBe(422);
  expect((await client.put(`${environments}/production`, { reviewers })).body.protection_rules[0].reviewers).toHaveLength(1);
  expect((await asBob.get(`${environments}/production`)).body.protection_rules).toMatchObject([{ reviewers: [] }]);
  await w.member(org, bob);
  expect((await asBob.get(environments)).body.environments[0].protection_rules[0].reviewers).toEqual([]);
});

test('patterns of branches and tags are added, changed and removed; one that is there is led to', async () => {
  const { client, environments } = await setting();
  const policies = `${environments}/production/deployment-branch-policies`;
  await client.put(`${environments}/production`, custom);
  const { status, body } = await client.post(policies, { name: 'release/*' });
  expect([status, body]).toMatchObject([200, { name: 'release/*', type: 'branch' }]);
  const again = await client.post(policies, { name: 'release/*' });
  expect(again.status).toBe(303);
  expect(again.headers.location).toBe(`${w.url}/api/v3${policies}/${body.id}`);
  const { body: tag } = await client.post(policies, { name: 'release/*', type: 'tag' });
  expect(tag).toMatchObject({ type: 'tag' });
  expect((await client.get(policies)).body).toEqual({ total_count: 2, branch_policies: [body, tag] });
  expect((await client.get(`${policies}?per_page=1&page=2`)).body.branch_policies).toEqual([tag]);
  const changed = await client.put(`${policies}/${body.id}`, { name: 'main' });
  expect(changed).toMatchObject({ status: 200, body: { ...body, name: 'main' } });
  expect((await client.get(`${policies}/${body.id}`)).body).toEqual(changed.body);
  await client.post(policies, { name: 'next' });
  await w.unchanged(['environment_branch_policies', 'events'], async () => {
    expect((await client.put(`${policies}/${body.id}`, { name: 'next' })).status).toBe(422);
    for (const name of ['', 'a[b', 'a//b', 'x'.repeat(256), 5])
      for (const send of [() => client.post(policies, { name }), () => client.put(`${policies}/${body.id}`, { name })])
        expect((await send()).status, String(name)).toBe(422);
    for (const bad of [{}, { name: 'x', type: 'commit' }]) expect((await client.post(policies, bad)).status).toBe(422);
  });
  expect((await client.delete(`${policies}/${tag.id}`)).status).toBe(204);
  expect((await client.get(`${policies}/${tag.id}`)).status).toBe(404);

  // Where they have no effect there are none, so that they can't return unseen.
  await client.put(`${environments}/production`);
  expect((await client.get(policies)).body.total_count).toBe(0);
  expect((await client.post(policies, { name: 'main' })).status).toBe(404);
});

test('an environment has at most 200 patterns, and two of the same name at the same time are one', async () => {
  const { client, environments } = await setting();
  const { body } = await client.put(`${environments}/production`, custom);
  const policies = `${environments}/production/deployment-branch-policies`;
  const both = await Promise.all([0, 1, 2, 3].map(() => client.post(policies, { name: 'main' })));
  expect(both.map(({ status }) => status).sort()).toEqual([200, 303, 303, 303]);
  const rows = Array.from({ length: 198 }, (_, at) => ({ environment_id: body.id, type: 'branch' as const, name: `b${at}` }));
  await w.db.insertInto('environment_branch_policies').values(rows).execute();
  expect((await client.post(policies, { name: 'last' })).status).toBe(200);
  expect((await client.post(policies, { name: 'more' })).status).toBe(422);
});

test('apps that may be asked are listed, and asked; six at most', async () => {
  const { org, repo, client, environments } = await setting();
  await client.put(`${environments}/production`);
  const rules = `${environments}/production/deployment_protection_rules`;
  const good = await gatekeeper(w, org);
  const other = await w.repo(org);
  const bad = [
    await gatekeeper(w, org, { events: ['deployment'] }),
    await gatekeeper(w, org, { permissions: { deployments: 'read' } }),
    await gatekeeper(w, await w.org(await w.user())),
    await gatekeeper(w, org),
    await gatekeeper(w, org),
  ];
  const [, , , suspended, elsewhere] = bad;
  const installed = (id: number | undefined) => w.db.updateTable('installations').where('id', '=', id as never);
  await installed(suspended?.installation).set({ suspended_at: w.clock.now }).execute();
  await installed(elsewhere?.installation).set({ repository_selection: 'selected' }).execute();
  await w.db
    .insertInto('installation_repositories')
    .values({ installation_id: elsewhere?.installation as never, repository_id: other.id })
    .execute();
  const { body: available } = await client.get(`${rules}/apps`);
  expect(available).toMatchObject({ total_count: 1 });
  const [app] = available.available_custom_deployment_protection_rule_integrations;
  expect(app).toMatchObject({ id: good.app, integration_url: `${w.url}/api/v3/apps/${app.slug}` });
  await w.unchanged(['environment_rules', 'events'], async () => {
    for (const integration_id of [...bad.map((one) => one.app), 2_000_000_000, 0, '1', undefined])
      expect((await client.post(rules, { integration_id })).status, String(integration_id)).toBe(422);
  });
  const { status, body } = await client.post(rules, { integration_id: good.app });
  expect([status, body]).toMatchObject([201, { enabled: true, app }]);
  expect((await client.post(rules, { integration_id: good.app })).status).toBe(422);
  expect((await client.get(rules)).body).toEqual({ total_count: 1, custom_deployment_protection_rules: [body] });
  expect((await client.get(`${rules}/${body.id}`)).body).toEqual(body);

  // To set the environment anew leaves apps as they are.
  const { body: anew } = await client.put(`${environments}/production`, { wait_timer: 1 });
  expect(anew.protection_rules).toMatchObject([{ type: 'wait_timer' }]);
  expect((await client.get(rules)).body.total_count).toBe(1);
  // The rule of the timer is none of an app.
  expect((await client.delete(`${rules}/${anew.protection_rules[0].id}`)).status).toBe(404);

  for (let at = 0; at < 5; at++)
    expect((await client.post(rules, { integration_id: (await gatekeeper(w, org)).app })).status).toBe(201);
  expect((await client.post(rules, { integration_id: (await gatekeeper(w, org)).app })).status).toBe(422);
  expect((await client.delete(`${rules}/${body.id}`)).status).toBe(204);
  expect((await client.get(`${rules}/${body.id}`)).status).toBe(404);
  expect(repo.id).not.toBe(other.id);
});

test('readers read environments, administrators alone change them', async () => {
  const { ada, org, repo, client, base, environments } = await setting('private');
  await client.put(`${environments}/production`, custom);
  const [reader, maintainer, eve] = [await w.user(), await w.user(), await w.user()];
  await w.collaborator(repo, reader, 'read');
  await w.collaborator(repo, maintainer, 'maintain');
  const statuses = async (who: Parameters<typeof w.as>[0]) => {
    const own = await w.as(who);
    return [
      (await own.get(environments)).status,
      (await own.get(`${environments}/production/deployment_protection_rules`)).status,
      (await own.get(`${environments}/production/deployment_protection_rules/apps`)).status,
      (await own.post(`${environments}/production/deployment-branch-policies`, { name: fresh('b') })).status,
      (await own.put(`${environments}/production`, custom)).status,
    ];
  };
  expect(await statuses(reader)).toEqual([200, 200, 404, 403, 403]);
  expect(await statuses(maintainer)).toEqual([200, 200, 404, 403, 403]);
  expect(await statuses(eve)).toEqual([404, 404, 404, 404, 404]);
  expect(await statuses(undefined)).toEqual([404, 404, 404, 404, 404]);
  expect(await statuses(ada)).toEqual([200, 200, 200, 200, 200]);
  expect(await statuses(await w.fineGrained(ada, org, { actions: 'read' }))).toEqual([200, 200, 403, 403, 403]);
  expect(await statuses(await w.fineGrained(ada, org, { administration: 'read' }))).toEqual([403, 403, 200, 403, 403]);
  expect(await statuses(await w.fineGrained(ada, org, { administration: 'write' }))).toEqual([403, 403, 200, 200, 200]);
  await client.patch(base, { visibility: 'public' });
  expect((await (await w.as(undefined)).get(environments)).status).toBe(200);
});

test('lists of environments send as many statements for one as for thirty, and deleting a repository removes all', async () => {
  const { ada, org, repo, client, base, environments, team } = await setting();
  const reviewers = [
    { type: 'User', id: ada.id },
    { type: 'Team', id: (await team()).id },
  ];
  await addFile(client, base);
  const add = (name: string) => client.put(`${environments}/${name}`, { wait_timer: 1, reviewers, ...custom });
  await add('one');
  const { app } = await gatekeeper(w, org);
  await client.post(`${environments}/one/deployment_protection_rules`, { integration_id: app });
  await client.post(`${environments}/one/deployment-branch-policies`, { name: 'main' });
  const counts = async () => [
    await w.statements(ada, environments),
    await w.statements(ada, `${environments}/one`),
    await w.statements(ada, `${environments}/one/deployment-branch-policies`),
    await w.statements(ada, `${environments}/one/deployment_protection_rules`),
    await w.statements(ada, `${environments}/one/deployment_protection_rules/apps`),
  ];
  const few = await counts();
  expect(few).toEqual([7, 6, 2, 2, 2]);
  for (let at = 0; at < 29; at++) await add(`e${at}`);
  expect(await counts()).toEqual(few);
  await client.post(`${base}/deployments`, { ref: 'main', environment: 'two' });
  expect((await client.delete(base)).status).toBe(204);
  const left = await w.db.selectFrom('environments').select('id').where('repository_id', '=', repo.id).execute();
  expect(left).toEqual([]);
});
