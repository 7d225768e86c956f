// Each rule about repositories on each way in which somebody does what it is about.
import { expect, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { countStatements } from '#database/client.ts';
import type { Answer, Client } from '#test/support/client.ts';
import { fresh, world } from '#test/support/world.ts';
import { repositoryRuleSetting } from './setting.ts';

const w = await world();

type Given = { api: Client; acme: Account; bob: Account; elsewhere: Account };
type Wanted = { name: string; private?: boolean };

/** A repository of somebody else that is a template and may be forked. */
const shared = async () => {
  const carol = await w.user();
  const repo = await w.repo(carol);
  const client = await w.as(carol);
  await client.patch(`/repos/${carol.login}/${repo.name}`, { is_template: true });
  return `/repos/${carol.login}/${repo.name}`;
};

/** The ways in which an organization gets a repository. */
const arrivals: Record<string, (given: Given, wanted: Wanted) => Promise<Answer>> = {
  creation: ({ api, acme }, wanted) => api.post(`/orgs/${acme.login}/repos`, wanted),
  'a template': async ({ api, acme }, wanted) => api.post(`${await shared()}/generate`, { owner: acme.login, ...wanted }),
  'a fork': async ({ api, acme }, { name }) => api.post(`${await shared()}/forks`, { organization: acme.login, name }),
  'a transfer from a user': async ({ api, acme, bob }, { name, private: isPrivate }) => {
    const repo = await w.repo(bob, { visibility: isPrivate ? 'private' : 'public' });
    return api.post(`/repos/${bob.login}/${repo.name}/transfer`, { new_owner: acme.login, new_name: name });
  },
  'a transfer from another organization': async ({ api, acme, bob, elsewhere }, { name, private: isPrivate }) => {
    const repo = await w.repo(elsewhere, { visibility: isPrivate ? 'private' : 'public', by: bob });
    return api.post(`/repos/${elsewhere.login}/${repo.name}/transfer`, { new_owner: acme.login, new_name: name });
  },
};

async function setting() {
  const made = await repositoryRuleSetting(w);
  return { ...made, elsewhere: await w.org(made.bob) };
}

const exists = async (given: Pick<Awaited<ReturnType<typeof setting>>, 'owner' | 'acme'>, name: string): Promise<boolean> =>
  (await given.owner.get(`/repos/${given.acme.login}/${name}`)).status === 200;

const refused = (login: string, name: string, line: string) => ({
  status: 403,
  body: { message: `Repository rule violations found for ${login}/${name}\n\n- ${line}` },
});

test.each(Object.entries(arrivals))('a restricted creation refuses %s, and records it', async (_, arrive) => {
  const given = await setting();
  const { acme, bob, suites, rule } = given;
  const id = await rule({ type: 'repository_create' }, { name: 'Made by owners' });
  const name = fresh('new');
  const line = 'Creating repositories is restricted. (repository_create, ruleset "Made by owners")';
  expect(await arrive(given, { name })).toMatchObject(refused(acme.login, name, line));
  expect(await exists(given, name)).toBe(false);
  const [suite, ...others] = await suites();
  expect(others).toEqual([]);
  expect(suite).toEqual({
    id: expect.any(Number),
    actor_id: bob.id,
    actor_name: bob.login,
    repository_name: name,
    repository_change: 'create',
    pushed_at: expect.any(String),
    result: 'fail',
  });
  const { body } = await given.owner.get(`/orgs/${acme.login}/rulesets/rule-suites/${suite.id}`);
  expect(body.rule_evaluations).toEqual([
    {
      rule_source: { type: 'ruleset', id, name: 'Made by owners' },
      enforcement: 'active',
      result: 'fail',
      rule_type: 'repository_create',
      details: 'Creating repositories is restricted.',
    },
  ]);
});

test.each(Object.entries(arrivals))('the name of a repository by %s must match the pattern', async (_, arrive) => {
  const given = await setting();
  await given.rule({ type: 'repository_name', parameters: { operator: 'starts_with', pattern: 'team-' } }, { name: 'Names' });
  const [wrong, right] = [fresh('other'), fresh('team-')];
  const line = `Names of repositories must start with "team-": ${wrong} (repository_name, ruleset "Names")`;
  expect(await arrive(given, { name: wrong })).toMatchObject(refused(given.acme.login, wrong, line));
  expect(await exists(given, wrong)).toBe(false);
  expect((await arrive(given, { name: right })).status).toBeLessThan(300);
  expect(await exists(given, right)).toBe(true);
  const [latest] = await given.suites();
  const { body: made } = await given.owner.get(`/repos/${given.acme.login}/${right}`);
  expect(latest).toMatchObject({ result: 'pass', repository_change: 'create', repository_id: made.id, repository_name: right });
});

test.each(Object.entries(arrivals))('a repository by %s must have an allowed visibility', async (way, arrive) => {
  const given = await setting();
  const allowed_visibilities = ['internal', 'private'];
  await given.rule({ type: 'repository_visibility', parameters: { allowed_visibilities } }, { name: 'Closed' });
  const [open, closed] = [fresh('open'), fresh('closed')];
  const line = 'Repositories must be internal or private, not public. (repository_visibility, ruleset "Closed")';
  expect(await arrive(given, { name: open })).toMatchObject(refused(given.acme.login, open, line));
  expect(await exists(given, open)).toBe(false);
  if (way === 'a fork') return; // it has the visibility of its parent
  expect((await arrive(given, { name: closed, private: true })).status).toBeLessThan(300);
});

test('a fork that is there already is returned, whatever rules say since', async () => {
  const given = await setting();
  const from = await shared();
  const wanted = { organization: given.acme.login, name: fresh('fork') };
  expect((await given.api.post(`${from}/forks`, wanted)).status).toBe(202);
  await given.rule({ type: 'repository_create' });
  expect(await given.api.post(`${from}/forks`, wanted)).toMatchObject({ status: 202, body: { name: wanted.name } });
});

test('a restricted deletion keeps the repository', async () => {
  const { api, acme, add, rule, suites, owner } = await setting();
  const name = await add();
  await rule({ type: 'repository_delete' }, { name: 'Kept' });
  const line = 'Deleting repositories is restricted. (repository_delete, ruleset "Kept")';
  expect(await api.delete(`/repos/${acme.login}/${name}`)).toMatchObject(refused(acme.login, name, line));
  const { body: repo } = await owner.get(`/repos/${acme.login}/${name}`);
  expect(await suites()).toMatchObject([{ result: 'fail', repository_change: 'delete', repository_id: repo.id }]);
  const { body: own } = await owner.get(`/repos/${acme.login}/${name}/rulesets/rule-suites`);
  expect(own).toMatchObject([{ result: 'fail', repository_change: 'delete' }]);
  const { status } = await owner.get(`/repos/${acme.login}/${name}/rulesets/rule-suites/${own[0].id}`);
  expect(status).toBe(200);
});

test('a restricted transfer keeps the repository in the organization; a deletion is another matter', async () => {
  const { api, acme, bob, elsewhere, add, rule, suites } = await setting();
  const name = await add();
  await rule({ type: 'repository_transfer' }, { name: 'Kept' });
  const line = 'Transferring repositories is restricted. (repository_transfer, ruleset "Kept")';
  for (const new_owner of [bob.login, elsewhere.login]) {
    const reply = await api.post(`/repos/${acme.login}/${name}/transfer`, { new_owner });
    expect(reply).toMatchObject(refused(acme.login, name, line));
  }
  expect(await suites()).toMatchObject(Array(2).fill({ result: 'fail', repository_change: 'transfer', repository_name: name }));
  expect((await api.delete(`/repos/${acme.login}/${name}`)).status).toBe(204);
});

test('a transfer asks the rules of both organizations, and nobody sees those of the other', async () => {
  const given = await setting();
  const { acme, api, bob, elsewhere, add, suites } = given;
  const name = await add();
  const theirs = await w.as(bob);
  const ruleset = {
    name: 'Names',
    target: 'repository',
    enforcement: 'active',
    conditions: { repository_name: { include: ['~ALL'] } },
    rules: [{ type: 'repository_name', parameters: { operator: 'ends_with', pattern: '-x' } }],
  };
  expect((await theirs.post(`/orgs/${elsewhere.login}/rulesets`, ruleset)).status).toBe(201);
  const move = (new_name: string) => api.post(`/repos/${acme.login}/${name}/transfer`, { new_owner: elsewhere.login, new_name });
  expect(await move(name)).toMatchObject({ status: 403 });
  expect((await theirs.get(`/orgs/${elsewhere.login}/rulesets/rule-suites`)).body).toMatchObject([
    { result: 'fail', repository_change: 'create', repository_name: name },
  ]);
  expect(await suites()).toEqual([]);
  expect((await move(`${name}-x`)).status).toBe(202);
  const { body: seen } = await theirs.get(`/repos/${elsewhere.login}/${name}-x/rulesets/rule-suites`);
  expect(seen).toMatchObject([{ result: 'pass', repository_change: 'create', repository_name: `${name}-x` }]);
});

test('a transfer brings the language along, by which a ruleset may apply', async () => {
  const { acme, api, bob, rule } = await setting();
  const property = { name: 'language', source: 'system', property_values: ['Rust'] };
  await rule({ type: 'repository_create' }, { conditions: { repository_property: { include: [property] } } });
  const move = async (language: string) => {
    const repo = await w.repo(bob);
    await w.db.updateTable('repositories').set({ language }).where('id', '=', repo.id).execute();
    return (await api.post(`/repos/${bob.login}/${repo.name}/transfer`, { new_owner: acme.login })).status;
  };
  expect([await move('Rust'), await move('Go')]).toEqual([403, 202]);
});

test('of changes at once, each is held to the rules', async () => {
  const { api, acme, add, rule } = await setting();
  const parameters = { allowed_visibilities: ['private'] };
  const conditions = { repository_name: { include: ['prod-*'] } };
  await rule({ type: 'repository_visibility', parameters }, { conditions });
  for (let round = 0; round < 5; round++) {
    const name = await add({ visibility: 'private' });
    const path = `/repos/${acme.login}/${name}`;
    const renamed = fresh('prod-');
    const replies = await Promise.all([api.patch(path, { name: renamed }), api.patch(path, { visibility: 'public' })]);
    for (const { status } of replies) expect([200, 307, 403, 404]).toContain(status);
    const { body } = await api.get(`/repos/${acme.login}/${renamed}`);
    if (body.visibility !== undefined) expect(body.visibility).toBe('private');
  }
});

test('a new name must match the pattern, and leaves a ruleset only by a name that it allows', async () => {
  const { api, acme, add, rule, owner } = await setting();
  const name = await add({ name: fresh('service-') });
  const only = { conditions: { repository_name: { include: ['service-*'] } }, name: 'Services' };
  await rule({ type: 'repository_name', parameters: { operator: 'regex', pattern: '^service-[a-z0-9-]+$' } }, only);
  const rename = (to: string) => api.patch(`/repos/${acme.login}/${name}`, { name: to });
  const left = fresh('tool');
  const line = `Names of repositories must match "^service-[a-z0-9-]+$": ${left} (repository_name, ruleset "Services")`;
  expect(await rename(left)).toMatchObject(refused(acme.login, name, line));
  expect((await rename('service-ENGINE')).status).toBe(403);
  expect((await owner.get(`/repos/${acme.login}/${left}`)).status).toBe(404);
  expect((await rename(`${name}-2`)).status).toBe(200);
});

test('a rename into a ruleset asks all of its rules; what a ruleset found when it was made stays', async () => {
  const { api, acme, add, rule } = await setting();
  const [old, free] = [await add({ name: fresh('prod-') }), await add()];
  await rule(
    { type: 'repository_visibility', parameters: { allowed_visibilities: ['private'] } },
    { conditions: { repository_name: { include: ['prod-*'] } } },
  );
  expect(await api.patch(`/repos/${acme.login}/${free}`, { name: fresh('prod-') })).toMatchObject({
    status: 403,
    body: { message: expect.stringContaining('Repositories must be private, not public.') },
  });
  expect((await api.patch(`/repos/${acme.login}/${old}`, { name: `${old}-2`, description: 'As before' })).status).toBe(200);
  expect((await api.patch(`/repos/${acme.login}/${free}`, { name: fresh('prod-'), visibility: 'private' })).status).toBe(200);
});

test('a visibility that is not allowed is refused, by either field; other settings are no matter of rules', async () => {
  const { api, acme, add, rule, suites, owner } = await setting();
  const name = await add({ visibility: 'private' });
  const parameters = { allowed_visibilities: ['private', 'internal'] };
  const id = await rule({ type: 'repository_visibility', parameters }, { name: 'Closed' });
  const change = (body: object) => api.patch(`/repos/${acme.login}/${name}`, body);
  const line = 'Repositories must be private or internal, not public. (repository_visibility, ruleset "Closed")';
  for (const body of [{ private: false }, { visibility: 'public' }])
    expect(await change(body)).toMatchObject(refused(acme.login, name, line));
  expect(await suites()).toMatchObject(Array(2).fill({ result: 'fail', repository_change: 'update' }));
  expect((await change({ description: 'Steam', private: true, name })).status).toBe(200);
  expect(await suites()).toHaveLength(2);
  expect((await change({ visibility: 'internal' })).body.visibility).toBe('internal');
  expect((await suites())[0]).toMatchObject({ result: 'pass', repository_change: 'update' });
  await owner.put(`/orgs/${acme.login}/rulesets/${id}`, {
    rules: [{ type: 'repository_visibility', parameters: { allowed_visibilities: ['public'] } }],
  });
  expect((await change({ private: true })).status).toBe(403);
  expect((await change({ private: false })).body.visibility).toBe('public');
});

test('names that a ruleset protects are kept, whatever the ruleset is about', async () => {
  const { api, acme, add, rule, owner } = await setting();
  const [kept, free] = [await add({ name: fresh('kept-') }), await add()];
  const conditions = { repository_name: { include: ['kept-*'], protected: true } };
  const id = await rule([], { conditions, name: 'Kept' });
  const rename = (name: string, to: string) => api.patch(`/repos/${acme.login}/${name}`, { name: to });
  const line = 'Renaming repositories is restricted. (repository_name_protected, ruleset "Kept")';
  expect(await rename(kept, fresh('other'))).toMatchObject(refused(acme.login, kept, line));
  expect((await rename(kept, kept.toUpperCase())).status).toBe(403);
  expect((await rename(free, fresh('kept-'))).status).toBe(200);
  await owner.delete(`/orgs/${acme.login}/rulesets/${id}`);
  await rule({ type: 'deletion' }, { target: 'branch', conditions: { ref_name: { include: ['~ALL'] }, ...conditions } });
  expect(await rename(kept, fresh('other'))).toMatchObject({ status: 403 });
  expect((await api.patch(`/repos/${acme.login}/${kept}`, { name: kept, has_issues: false })).status).toBe(200);
});

test('properties decide which repositories a ruleset is about, also those that a new one would have', async () => {
  const { api, acme, add, rule, owner, ada } = await setting();
  const admin = await w.as(ada);
  const property = { value_type: 'single_select', allowed_values: ['core', 'tool'], default_value: 'tool', required: true };
  expect((await admin.put(`/orgs/${acme.login}/properties/schema/tier`, property)).status).toBe(200);
  const name = await add();
  const about = (value: string) => ({
    conditions: { repository_property: { include: [{ name: 'tier', property_values: [value] }], exclude: [] } },
  });
  const core = await rule([{ type: 'repository_create' }, { type: 'repository_delete' }], about('core'));
  const create = (custom_properties?: object) =>
    api.post(`/orgs/${acme.login}/repos`, { name: fresh('new'), ...(custom_properties && { custom_properties }) });
  expect((await create({ tier: 'core' })).status).toBe(403);
  expect((await create()).status).toBe(201);
  await owner.delete(`/orgs/${acme.login}/rulesets/${core}`);
  await rule([{ type: 'repository_create' }, { type: 'repository_delete' }], about('tool'));
  expect((await create({ tier: 'core' })).status).toBe(201);
  expect((await create()).status).toBe(403);
  expect((await api.delete(`/repos/${acme.login}/${name}`)).status).toBe(403);
  await admin.patch(`/repos/${acme.login}/${name}/properties/values`, {
    properties: [{ property_name: 'tier', value: 'core' }],
  });
  expect((await api.delete(`/repos/${acme.login}/${name}`)).status).toBe(204);
});

test('an organization is deleted only if all of its repositories may be', async () => {
  const { acme, add, rule, owner, suites } = await setting();
  const names = [await add({ name: fresh('kept-') }), await add({ name: fresh('kept-') }), await add()];
  await rule({ type: 'repository_delete' }, { conditions: { repository_name: { include: ['kept-*'] } }, name: 'Kept' });
  const reply = await owner.delete(`/orgs/${acme.login}`);
  const line = '\n\n- Deleting repositories is restricted. (repository_delete, ruleset "Kept")';
  const message = names
    .slice(0, 2)
    .map((name) => `Repository rule violations found for ${acme.login}/${name}${line}`)
    .join('\n\n');
  expect(reply).toMatchObject({ status: 403, body: { message } });
  expect((await suites()).map(({ repository_name, result }) => [repository_name, result])).toEqual([
    [names[1], 'fail'],
    [names[0], 'fail'],
  ]);
  expect((await owner.get(`/repos/${acme.login}/${names[2]}`)).status).toBe(200);
  for (const name of names.slice(0, 2)) await w.db.deleteFrom('repositories').where('name', '=', name).execute();
  expect((await owner.delete(`/orgs/${acme.login}`)).status).toBe(202);
});

test('the number of repositories makes no more statements of the deletion of an organization', async () => {
  const statementsOf = async (repositories: number): Promise<number> => {
    const { acme, ada, add, rule, suites } = await setting();
    for (let at = 0; at < repositories; at++) await add();
    await rule({ type: 'repository_delete' });
    const headers = { authorization: `Bearer ${await w.token(ada)}` };
    const { result, statements } = await countStatements(() =>
      w.hearth.app.inject({ method: 'DELETE', url: `/api/v3/orgs/${acme.login}`, headers }),
    );
    expect([result.statusCode, (await suites()).length]).toEqual([403, repositories]);
    return statements.length;
  };
  expect(await statementsOf(8)).toBe(await statementsOf(2));
});

test('private forks of advisories come and go with these, and rules are not about them', async () => {
  const { acme, add, rule, owner } = await setting();
  const name = await add();
  await rule([
    { type: 'repository_create' },
    { type: 'repository_name', parameters: { operator: 'contains', pattern: 'nothing' } },
    { type: 'repository_visibility', parameters: { allowed_visibilities: ['public'] } },
  ]);
  const advisory = {
    summary: 'Steam escapes',
    description: 'It does.',
    severity: 'low',
    vulnerabilities: [{ package: { ecosystem: 'npm', name: 'engine' } }],
    start_private_fork: true,
  };
  const { status, body } = await owner.post(`/repos/${acme.login}/${name}/security-advisories`, advisory);
  expect([status, body.private_fork?.name]).toEqual([201, expect.stringContaining(name)]);
});

test('repositories of users have no such rules', async () => {
  const { api, bob, rule } = await setting();
  await rule([{ type: 'repository_create' }, { type: 'repository_delete' }]);
  const name = fresh('mine');
  expect((await api.post('/user/repos', { name })).status).toBe(201);
  expect((await api.patch(`/repos/${bob.login}/${name}`, { private: true })).status).toBe(200);
  expect((await api.delete(`/repos/${bob.login}/${name}`)).status).toBe(204);
});
