// Who need not keep to rules about repositories, rules that are only evaluated, and what stays of both.
import { expect, test } from 'vitest';
import { installApp } from '#test/support/apps.ts';
import { fresh, world } from '#test/support/world.ts';
import { repositoryRuleSetting } from './setting.ts';

const w = await world();

const actor = (actor_type: string, actor_id: number | null, bypass_mode = 'always') => ({
  bypass_actors: [{ actor_type, actor_id, bypass_mode }],
});

test('who may always bypass a rule does so, and it is recorded', async () => {
  const { ada, acme, owner, api, add, rule, suites } = await repositoryRuleSetting(w);
  const name = await add();
  await rule({ type: 'repository_delete' }, actor('OrganizationAdmin', 1));
  const { body: seen } = await owner.get(`/orgs/${acme.login}/rulesets`);
  const one = `/repos/${acme.login}/${name}/rulesets/${seen[0].id}`;
  expect([(await owner.get(one)).body.current_user_can_bypass, (await api.get(one)).body.current_user_can_bypass]).toEqual([
    'always',
    'never',
  ]);
  const { body: repo } = await owner.get(`/repos/${acme.login}/${name}`);
  expect((await api.delete(`/repos/${acme.login}/${name}`)).status).toBe(403);
  expect((await owner.delete(`/repos/${acme.login}/${name}`)).status).toBe(204);
  const results = await suites();
  expect(results).toMatchObject([
    { result: 'bypass', actor_id: ada.id, repository_change: 'delete', repository_id: repo.id, repository_name: name },
    { result: 'fail', repository_change: 'delete', repository_id: repo.id },
  ]);
  for (const suite of results) for (const field of ['ref', 'before_sha', 'after_sha']) expect(suite).not.toHaveProperty(field);
  expect(await suites('?rule_suite_result=bypass')).toHaveLength(1);
  expect(await suites(`?repository_name=${name.toUpperCase()}`)).toHaveLength(2);
  expect(await suites(`?actor_name=${ada.login}`)).toHaveLength(1);
  expect(await suites('?ref=main')).toEqual([]);
});

test('who is exempt is not asked', async () => {
  const { bob, acme, api, add, rule, suites } = await repositoryRuleSetting(w);
  const name = await add();
  await rule({ type: 'repository_delete' }, actor('User', bob.id, 'exempt'));
  expect((await api.delete(`/repos/${acme.login}/${name}`)).status).toBe(204);
  expect(await suites()).toEqual([]);
});

test('teams, roles and apps may bypass; a role counts in repositories that exist, and owners administer new ones', async () => {
  const { bob, acme, owner, api, add, rule } = await repositoryRuleSetting(w);
  const { body: team } = await owner.post(`/orgs/${acme.login}/teams`, { name: fresh('team') });
  const create = (client = api) => client.post(`/orgs/${acme.login}/repos`, { name: fresh('new') });
  const id = await rule([{ type: 'repository_create' }, { type: 'repository_delete' }], actor('Team', team.id));
  const change = async (more: object) => expect((await owner.put(`/orgs/${acme.login}/rulesets/${id}`, more)).status).toBe(200);
  expect((await create()).status).toBe(403);
  await owner.put(`/orgs/${acme.login}/teams/${team.slug}/memberships/${bob.login}`);
  expect((await create()).status).toBe(201);

  await change(actor('RepositoryRole', 5));
  const administered = await add();
  expect((await create()).status).toBe(403);
  expect((await create(owner)).status).toBe(201);
  expect((await api.delete(`/repos/${acme.login}/${administered}`)).status).toBe(204);

  const { token, bot } = await installApp(w, { on: acme, permissions: { administration: 'write', metadata: 'read' } });
  const app = await w.db.selectFrom('apps').select('id').where('bot_id', '=', bot.id).executeTakeFirstOrThrow();
  const byApp = await w.as(token);
  expect((await create(byApp)).status).toBe(403);
  await change(actor('Integration', app.id));
  expect((await create(byApp)).status).toBe(201);
});

test('rules that are only evaluated refuse nothing, and tell what they would', async () => {
  const { acme, owner, api, add, rule, suites } = await repositoryRuleSetting(w);
  const name = await add();
  const id = await rule(
    [
      { type: 'repository_delete' },
      { type: 'repository_name', parameters: { operator: 'contains', pattern: 'never', name: 'House style', negate: false } },
    ],
    { enforcement: 'evaluate' },
  );
  const renamed = fresh('new');
  expect((await api.patch(`/repos/${acme.login}/${name}`, { name: renamed })).status).toBe(200);
  expect((await api.delete(`/repos/${acme.login}/${renamed}`)).status).toBe(204);
  const results = await suites('?evaluate_status=evaluate');
  expect(results).toMatchObject([
    { result: 'pass', evaluation_result: 'fail', repository_change: 'delete' },
    { result: 'pass', evaluation_result: 'fail', repository_change: 'update' },
  ]);
  const { body } = await owner.get(`/orgs/${acme.login}/rulesets/rule-suites/${results[1].id}`);
  expect(body.rule_evaluations).toMatchObject([
    {
      enforcement: 'evaluate',
      result: 'fail',
      rule_type: 'repository_name',
      details: `Names of repositories must match the pattern "House style": ${renamed}`,
    },
  ]);
  await owner.put(`/orgs/${acme.login}/rulesets/${id}`, { enforcement: 'disabled' });
  expect((await api.post(`/orgs/${acme.login}/repos`, { name: fresh('new') })).status).toBe(201);
  expect(await suites()).toHaveLength(2);
  expect((await owner.get(`/orgs/${acme.login}/rulesets/${id}/history`)).body).toHaveLength(2);
});

test('a refusal names each broken rule, and records those that are kept or evaluated along with it', async () => {
  const { acme, owner, api, rule, suites } = await repositoryRuleSetting(w);
  await rule([{ type: 'repository_create' }], { name: 'First' });
  await rule([{ type: 'repository_create' }], { name: 'Second', enforcement: 'evaluate' });
  await rule([{ type: 'repository_visibility', parameters: { allowed_visibilities: ['private'] } }], { name: 'Third' });
  const name = fresh('new');
  const { status, body } = await api.post(`/orgs/${acme.login}/repos`, { name });
  expect([status, body.message.split('\n')]).toEqual([
    403,
    [
      `Repository rule violations found for ${acme.login}/${name}`,
      '',
      '- Creating repositories is restricted. (repository_create, ruleset "First")',
      '- Repositories must be private, not public. (repository_visibility, ruleset "Third")',
    ],
  ]);
  const [suite] = await suites();
  const { body: whole } = await owner.get(`/orgs/${acme.login}/rulesets/rule-suites/${suite.id}`);
  expect(whole).toMatchObject({ result: 'fail', evaluation_result: 'fail', repository_change: 'create' });
  expect(whole.rule_evaluations).toHaveLength(3);
});

test('rulesets about repositories are listed where they apply, are about no refs, and nobody else reads the results', async () => {
  const { acme, owner, api, add, rule, bob } = await repositoryRuleSetting(w);
  const name = await add();
  const id = await rule(
    [{ type: 'repository_visibility', parameters: { allowed_visibilities: ['public'] } }],
    actor('User', bob.id),
  );
  const base = `/repos/${acme.login}/${name}`;
  expect((await api.get(`${base}/rulesets?targets=repository`)).body).toMatchObject([{ id, target: 'repository' }]);
  expect((await api.get(`${base}/rulesets/${id}`)).body).toMatchObject({
    target: 'repository',
    rules: [{ type: 'repository_visibility', parameters: { allowed_visibilities: ['public'] } }],
    current_user_can_bypass: 'always',
  });
  const one = `/orgs/${acme.login}/rulesets/${id}`;
  expect((await owner.get(one)).body).toMatchObject({ rules: [{ parameters: { allowed_visibilities: ['public'] } }] });
  expect((await owner.put(one, { name: 'Public' })).body).toMatchObject({ name: 'Public', target: 'repository' });
  expect((await api.get(`${base}/rules/branches/main`)).body).toEqual([]);
  expect((await api.put(`${base}/contents/a.txt`, { message: 'a', content: 'YQ==' })).status).toBe(201);
  const { body: suites } = await owner.get(`/orgs/${acme.login}/rulesets/rule-suites`);
  expect(suites).toEqual([]);
  expect((await api.get(`/orgs/${acme.login}/rulesets/rule-suites`)).status).toBe(404);
  expect((await owner.put(one, { target: 'branch' })).body.errors).toMatchObject([{ field: 'rules.0.type' }]);
});
