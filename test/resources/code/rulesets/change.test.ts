import { expect, test } from 'vitest';
import { countStatements } from '#database/client.ts';
import { installApp } from '#test/support/apps.ts';
import { fresh, world } from '#test/support/world.ts';

const w = await world();
const { as, user, org, repo, member, clock, fineGrained, statements } = w;

/** A repository of an organization with a ruleset. */
async function setting() {
  const owner = await user();
  const acme = await org(owner);
  const engine = await repo(acme, { by: owner });
  const client = await as(owner);
  const path = `/repos/${acme.login}/${engine.name}/rulesets`;
  const { body: made } = await client.post(path, {
    name: 'First',
    enforcement: 'active',
    bypass_actors: [{ actor_type: 'OrganizationAdmin', bypass_mode: 'pull_request' }],
    conditions: { ref_name: { include: ['~ALL'] } },
    rules: [{ type: 'deletion' }],
  });
  return { owner, acme, engine, client, path, made, one: `${path}/${made.id}` };
}

test('what a change does not name stays', async () => {
  const { client, one, made } = await setting();
  expect((await client.put(one, { name: 'Second' })).body).toEqual({ ...made, name: 'Second' });
  expect((await client.put(one, { rules: [] })).body).toEqual({ ...made, name: 'Second', rules: [] });
  expect((await client.put(one)).body).toEqual({ ...made, name: 'Second', rules: [] });
  const last = { bypass_actors: [], conditions: { ref_name: { exclude: ['refs/heads/a'] } }, current_user_can_bypass: 'never' };
  const { current_user_can_bypass: _, ...wanted } = last;
  expect((await client.put(one, wanted)).body).toEqual({ ...made, name: 'Second', rules: [], ...last });
  expect((await client.get(one)).body).toEqual({ ...made, name: 'Second', rules: [], ...last });
});

test('a change may not leave what does not belong together', async () => {
  const { client, one } = await setting();
  await w.unchanged(['rulesets', 'ruleset_bypass_actors', 'ruleset_versions', 'events'], async () => {
    expect((await client.put(one, { target: 'push' })).body.errors).toMatchObject([{ field: 'rules.0.type' }]);
    expect((await client.put(one, { target: 'push', rules: [] })).body.errors).toMatchObject([{ field: 'conditions.ref_name' }]);
    expect((await client.put(one, { target: 'tag' })).body.errors).toMatchObject([{ field: 'bypass_actors.0.bypass_mode' }]);
  });
  const moved = {
    target: 'push',
    rules: [{ type: 'max_file_size', parameters: { max_file_size: 10 } }],
    conditions: {},
    bypass_actors: [],
  };
  const { status, body } = await client.put(one, moved);
  expect([status, body.target, body.rules, body.conditions]).toEqual([200, 'push', moved.rules, undefined]);
});

test('each change is a version, latest first', async () => {
  const { acme, client, owner, path, one, made } = await setting();
  const grace = await user();
  await member(acme, grace, 'owner');
  clock.now = new Date('2026-02-01T00:00:00Z');
  await (await as(grace)).put(one, { enforcement: 'disabled', bypass_actors: [{ actor_type: 'DeployKey' }] });
  const { body: versions } = await client.get(`${one}/history`);
  expect(versions).toEqual([
    { version_id: expect.any(Number), actor: { id: grace.id, type: 'User' }, updated_at: '2026-02-01T00:00:00Z' },
    { version_id: expect.any(Number), actor: { id: owner.id, type: 'User' }, updated_at: made.created_at },
  ]);
  const [second, first] = versions;
  const { name, id, target, source, source_type, enforcement, bypass_actors, conditions, rules } = made;
  const state = { name, id, target, source, source_type, enforcement, bypass_actors, conditions, rules };
  expect((await client.get(`${one}/history/${first.version_id}`)).body).toEqual({ ...first, state });
  expect((await client.get(`${one}/history/${second.version_id}`)).body).toEqual({
    ...second,
    state: {
      ...state,
      enforcement: 'disabled',
      bypass_actors: [{ actor_type: 'DeployKey', actor_id: null, bypass_mode: 'always' }],
    },
  });
  const page = await client.get(`${one}/history?per_page=1&page=2`);
  expect([page.body, page.headers.link]).toEqual([[first], expect.stringContaining('rel="first"')]);
  const { body: other } = await client.post(path, { name: 'Other', enforcement: 'active' });
  expect((await client.get(`${path}/${other.id}/history/${first.version_id}`)).status).toBe(404);
  expect((await client.delete(one)).status).toBe(204);
  for (const gone of [one, `${one}/history`, `${one}/history/${first.version_id}`])
    expect((await client.get(gone)).status).toBe(404);
  expect((await client.delete(one)).status).toBe(404);
  expect((await client.put(one, { name: 'Gone' })).status).toBe(404);
});

test('rulesets of the organization are seen where they apply', async () => {
  const { acme, engine, client, path, made } = await setting();
  const above = `/orgs/${acme.login}/rulesets`;
  const make = async (conditions: object, enforcement = 'active'): Promise<number> => {
    const { status, body } = await client.post(above, { name: fresh('above'), enforcement, conditions });
    expect(status).toBe(201);
    return body.id;
  };
  const name = (include: string[], exclude: string[] = []) => ({ repository_name: { include, exclude } });
  const property = (...include: object[]) => ({ repository_property: { include } });
  const system = (property: string, ...property_values: string[]) => ({ name: property, source: 'system', property_values });
  const fork = { name: 'fork', source: 'system', property_values: ['true'] };
  const applying = [
    await make(name(['~ALL'])),
    await make(name([`{x,${engine.name.toUpperCase()}}`]), 'evaluate'),
    await make({ repository_id: { repository_ids: [engine.id] } }),
    await make(property(system('visibility', 'public', 'private'), system('fork', 'False'))),
    await make({ repository_property: { include: [], exclude: [fork] } }),
  ];
  const others = [
    await make(name(['~ALL']), 'disabled'),
    await make(name(['~ALL'], [engine.name])),
    await make(name(['repo'])),
    await make(name([])),
    await make({ repository_id: {} }),
    await make(property(system('visibility', 'internal'))),
    await make(property(system('visibility', 'public'), system('language', 'C'))),
    await make(property({ name: 'tier', property_values: ['1'] })),
    await make({ repository_property: { exclude: [system('visibility', 'PUBLIC')] } }),
  ];
  const ids = async (query: string) => (await client.get(path + query)).body.map(({ id }: { id: number }) => id);
  expect(await ids('')).toEqual([made.id, ...applying]);
  expect(await ids('?includes_parents=false')).toEqual([made.id]);
  expect(await ids('?targets=tag,push')).toEqual([]);
  expect(await ids('?targets=branch,tag&per_page=2&page=2')).toEqual(applying.slice(1, 3));
  expect((await client.get(`${path}?targets=branches`)).status).toBe(422);
  expect((await client.get(`${above}?targets=branch&per_page=3`)).body).toHaveLength(3);
  for (const id of applying) {
    const { status, body } = await client.get(`${path}/${id}`);
    expect([status, body.source_type, body.source, body.bypass_actors]).toEqual([200, 'Organization', acme.login, []]);
    expect((await client.get(`${path}/${id}?includes_parents=false`)).status).toBe(404);
  }
  for (const id of others) expect((await client.get(`${path}/${id}`)).status).toBe(404);
  const { body: all } = await (await as(undefined)).get(path);
  expect(all).toHaveLength(6);
});

test('bypass actors are shown to those who may change the ruleset', async () => {
  const { acme, engine, path, owner, made, one } = await setting();
  const { body: above } = await (await as(owner)).post(`/orgs/${acme.login}/rulesets`, {
    name: 'Above',
    enforcement: 'active',
    bypass_actors: [{ actor_type: 'RepositoryRole', actor_id: 4, bypass_mode: 'exempt' }],
    conditions: { repository_name: { include: ['~ALL'] } },
  });
  const [admin, writer] = [await user(), await user()];
  await w.collaborator(engine, admin, 'admin');
  await w.collaborator(engine, writer, 'write');
  const seen = async (who: Parameters<typeof as>[0]) => {
    const client = await as(who);
    const [mine, theirs] = [await client.get(one), await client.get(`${path}/${above.id}`)];
    return [mine, theirs].map(({ body }) => [body.bypass_actors !== undefined, body.current_user_can_bypass]);
  };
  expect(await seen(owner)).toEqual([
    [true, 'pull_requests_only'],
    [true, 'exempt'],
  ]);
  expect(await seen(admin)).toEqual([
    [true, 'never'],
    [false, 'exempt'],
  ]);
  expect(await seen(writer)).toEqual([
    [false, 'never'],
    [false, 'exempt'],
  ]);
  expect(await seen(undefined)).toEqual([
    [false, undefined],
    [false, undefined],
  ]);
  expect(await seen(await fineGrained(owner, acme, { administration: 'read' }))).toEqual([
    [false, 'pull_requests_only'],
    [false, 'exempt'],
  ]);
  expect(await seen(await fineGrained(owner, acme, { administration: 'write' }))).toEqual([
    [true, 'pull_requests_only'],
    [false, 'exempt'],
  ]);
  expect(made.bypass_actors).toEqual([{ actor_type: 'OrganizationAdmin', actor_id: 1, bypass_mode: 'pull_request' }]);
});

test('who is named, whose team or whose app is named, may bypass; and no longer when that is gone', async () => {
  const { acme, client, one, engine } = await setting();
  const [named, inTeam, maintainer] = [await user(), await user(), await user()];
  await w.collaborator(engine, maintainer, 'maintain');
  await member(acme, named);
  await member(acme, inTeam);
  await w.collaborator(engine, named, 'read');
  const { body: above } = await client.post(`/orgs/${acme.login}/teams`, { name: fresh('above'), privacy: 'closed' });
  const team = { name: fresh('team'), privacy: 'closed', parent_team_id: above.id };
  const { body: below } = await client.post(`/orgs/${acme.login}/teams`, team);
  await client.put(`/orgs/${acme.login}/teams/${below.slug}/memberships/${inTeam.login}`);
  const { bot, token } = await installApp(w, { on: acme, permissions: { administration: 'write' } });
  const app = await w.db.selectFrom('apps').select('id').where('bot_id', '=', bot.id).executeTakeFirstOrThrow();
  const bypass_actors = [
    { actor_type: 'User', actor_id: named.id, bypass_mode: 'always' },
    { actor_type: 'Team', actor_id: above.id, bypass_mode: 'exempt' },
    { actor_type: 'Integration', actor_id: app.id, bypass_mode: 'always' },
    { actor_type: 'RepositoryRole', actor_id: 2, bypass_mode: 'pull_request' },
  ];
  expect((await client.put(one, { bypass_actors })).body.bypass_actors).toEqual(bypass_actors);
  const can = async (who: Parameters<typeof as>[0]) => (await (await as(who)).get(one)).body.current_user_can_bypass;
  expect([await can(named), await can(inTeam), await can(token), await can(maintainer)]).toEqual([
    'always',
    'exempt',
    'always',
    'pull_requests_only',
  ]);
  await client.delete(`/orgs/${acme.login}/teams/${above.slug}`);
  expect(await can(inTeam)).toBe('never');
  await w.db.deleteFrom('apps').where('id', '=', app.id).execute();
  expect((await client.get(one)).body.bypass_actors).toEqual([bypass_actors[0], bypass_actors[3]]);
});

test('reading costs the same however many rulesets there are', async () => {
  const { acme, owner, client, path, made } = await setting();
  const lists = [path, `/orgs/${acme.login}/rulesets`, `${path}/${made.id}/history`];
  const before = [];
  await client.post(`/orgs/${acme.login}/rulesets`, {
    name: 'Above',
    enforcement: 'active',
    conditions: { repository_name: { include: ['~ALL'] } },
  });
  for (const list of lists) before.push(await statements(owner, `${list}?per_page=100`));
  const one = await statements(owner, `${path}/${made.id}`);
  const rules = Array.from({ length: 100 }, () => ({
    type: 'commit_message_pattern',
    parameters: { operator: 'contains', pattern: 'x' },
  }));
  for (let at = 2; at <= 70; at++) {
    await client.post(path, { name: `Own ${at}`, enforcement: 'active', rules });
    await client.post(`/orgs/${acme.login}/rulesets`, {
      name: `Above ${at}`,
      enforcement: 'active',
      conditions: { repository_name: { include: ['~ALL'] } },
    });
    await client.put(`${path}/${made.id}`, { name: `Changed ${at}` });
  }
  const after = [];
  for (const list of lists) after.push(await statements(owner, `${list}?per_page=100`));
  expect(after).toEqual(before);
  expect(before).toEqual([2, 2, 2]);
  expect([one, await statements(owner, `${path}/${made.id}`)]).toEqual([3, 3]);
  expect((await client.get(`${path}?per_page=100`)).body).toHaveLength(100);
  const changed = await countStatements(() => client.put(`${path}/${made.id}`, { rules, bypass_actors: made.bypass_actors }));
  const few = await countStatements(() => client.put(`${path}/${made.id}`, { rules: [], bypass_actors: made.bypass_actors }));
  expect(changed.statements.length).toBe(few.statements.length);
});
