import { expect, test } from 'vitest';
import { countStatements } from '#database/client.ts';
import { ruleSetting } from '#test/resources/code/ref-rules/setting.ts';
import { eventsOf, installApp } from '#test/support/apps.ts';
import { fresh, world } from '#test/support/world.ts';
import { areas, setting, tier, value } from './setting.ts';

const w = await world();
const tables = ['custom_property_values', 'repositories', 'events'];
const editable = { values_editable_by: 'org_and_repo_actors' };

test('a repository has the values that are set, and default values of what is required', async () => {
  const { acme, engine, client, one, define } = await setting(w);
  await define('Tier', { ...tier, required: true, default_value: '2' });
  await define('areas', areas);
  await define('live', { value_type: 'true_false' });
  const repository = async () => (await client.get(`/repos/${acme.login}/${engine.name}`)).body.custom_properties;
  expect((await client.get(one)).body).toEqual([value('Tier', '2')]);
  expect(await repository()).toEqual({ Tier: '2' });
  const set = await client.patch(one, {
    properties: [value('tier', '1'), value('areas', ['ops', 'web', 'ops']), value('live', 'true')],
  });
  expect(set.status).toBe(204);
  expect((await client.get(one)).body).toEqual([value('areas', ['ops', 'web']), value('live', 'true'), value('Tier', '1')]);
  expect(await repository()).toEqual({ areas: ['ops', 'web'], live: 'true', Tier: '1' });
  await w.unchanged(tables, async () => {
    expect((await client.patch(one, { properties: [value('live', 'true')] })).status).toBe(204);
    expect((await client.patch(one, { properties: [] })).status).toBe(204);
  });
  await client.patch(one, { properties: [value('TIER', null), value('areas', []), value('live', null)] });
  expect((await client.get(one)).body).toEqual([value('Tier', '2')]);
  expect((await eventsOf(w, acme)).filter((kind) => kind === 'custom_property_values.updated')).toHaveLength(2);
});

test.each([
  [value('unknown', '1'), 'property_name', 'missing'],
  [value('tier', '4'), 'value', 'invalid'],
  [value('tier', ['1']), 'value', 'invalid'],
  [value('tier', ''), 'value', 'invalid'],
  [value('tier', 1), 'value', 'invalid'],
  [value('tier', undefined), 'value', 'missing_field'],
  [value('areas', 'web'), 'value', 'invalid'],
  [value('areas', ['web', 'none']), 'value', 'invalid'],
  [value('live', 'yes'), 'value', 'invalid'],
  [value('site', 'ftp://a'), 'value', 'invalid'],
  [value('site', 'https://'), 'value', 'invalid'],
  [value('note', 'x'.repeat(76)), 'value', 'invalid'],
  [value('note', 'two\nlines'), 'value', 'invalid'],
  [value('NOTE', 'twice'), 'property_name', 'already_exists'],
])('the value %o is refused, and nothing is written', async (wrong, field, code) => {
  const { engine, client, all, one, define } = await setting(w);
  await define('tier', tier);
  await define('areas', areas);
  for (const [name, value_type] of [
    ['live', 'true_false'],
    ['site', 'url'],
    ['note', 'string'],
  ] as const)
    await define(name, { value_type });
  const properties = [value('note', 'fine'), wrong];
  await w.unchanged(tables, async () => {
    for (const { status, body } of [
      await client.patch(one, { properties }),
      await client.patch(all, { repository_names: [engine.name], properties }),
    ])
      expect([status, body.errors[0].resource, body.errors[0].field, body.errors[0].code]).toEqual([
        422,
        'CustomPropertyValue',
        expect.stringMatching(new RegExp(`^properties\\.1(\\.${field}|\\.value\\.\\d)$`)),
        code,
      ]);
  });
});

test('values of several repositories are set at once, those of 30 by as many statements as those of one', async () => {
  const { owner, acme, client, all, define } = await setting(w);
  await define('tier', tier);
  await define('note', { value_type: 'string' });
  const names: string[] = [];
  for (let at = 0; at < 31; at++) names.push((await w.repo(acme, { by: owner })).name);
  const set = async (repository_names: string[], ...properties: object[]) => {
    const { result, statements } = await countStatements(() => client.patch(all, { repository_names, properties }));
    return [result.status, statements.length];
  };
  await set(names.slice(30), value('note', 'first'));
  const [status, statements] = await set(names.slice(0, 1), value('tier', '1'), value('note', null));
  expect(status).toBe(204);
  expect(await set(names.slice(0, 30), value('tier', '2'), value('note', null))).toEqual([204, statements]);
  await w.unchanged(tables, async () => {
    expect((await set(names, value('tier', '3')))[0]).toBe(422);
    expect((await set([], value('tier', '3')))[0]).toBe(422);
    const stray = await client.patch(all, { repository_names: [names[0], 'nothing'], properties: [value('tier', '3')] });
    expect([stray.status, stray.body.errors[0].field, stray.body.errors[0].code]).toEqual([422, 'repository_names.1', 'missing']);
  });
  expect((await client.get(`/repos/${acme.login}/${names[7]}/properties/values`)).body).toEqual([value('tier', '2')]);
});

test('the list shows the repositories that the caller may see, with as many statements for 100 as for one', async () => {
  const { owner, member, acme, engine, client, all, one, define } = await setting(w);
  await define('tier', { ...tier, required: true, default_value: '3' });
  await client.patch(one, { properties: [value('tier', '1')] });
  const row = (repo: { id: number; name: string }, set: string) => ({
    repository_id: repo.id,
    repository_name: repo.name,
    repository_full_name: `${acme.login}/${repo.name}`,
    properties: [value('tier', set)],
  });
  expect((await client.get(all)).body).toEqual([row(engine, '1')]);
  const count = await w.statements(owner, all);
  const outside = await w.repo(await w.org(owner), { by: owner });
  for (let at = 0; at < 99; at++) await w.repo(acme, { by: owner, visibility: at === 0 ? 'public' : 'private' });
  expect(await w.statements(owner, `${all}?per_page=100`)).toBe(count);
  const { body } = await client.get(`${all}?per_page=100`);
  expect(body).toHaveLength(100);
  expect(body.map(({ repository_id }: { repository_id: number }) => repository_id)).not.toContain(outside.id);
  expect((await client.get(`${all}?per_page=60&page=2`)).body).toEqual(body.slice(60));
  const ofMember = await w.fineGrained(member, acme, { organization_custom_properties: 'read' }, []);
  expect((await (await w.as(ofMember)).get(all)).body).toHaveLength(1);
});

test('a query chooses repositories, and one that is not understood is refused', async () => {
  const { owner, acme, engine, client, all, one, define } = await setting(w);
  await define('Tier', { ...tier, required: true, default_value: '3' });
  await define('areas', areas);
  await client.patch(one, { properties: [value('tier', '1'), value('areas', ['web', 'ops'])] });
  const open = await w.repo(acme, { by: owner, visibility: 'public' });
  await client.put(`/repos/${acme.login}/${open.name}/topics`, { names: ['steam'] });
  const ask = (query: string) => client.get(`${all}?repository_query=${encodeURIComponent(query)}`);
  const [mine, other] = [engine.name, open.name];
  for (const [query, names] of [
    ['', [mine, other]],
    ['props.tier:1', [mine]],
    ['-props.Tier:1', [other]],
    ['props.tier:3 visibility:public', [other]],
    ['props.areas:OPS props.areas:web', [mine]],
    ['props.none:1', []],
    ['is:private', [mine]],
    ['topic:steam archived:false', [other]],
    ['language:c', []],
    ['-language:"c"', [mine, other]],
    [`repo:${acme.login.toUpperCase()}/${mine}`, [mine]],
    [`${mine.toUpperCase()}`, [mine]],
    [`-${mine}`, [other]],
  ] as const) {
    const { body } = await ask(query);
    const found = body.map(({ repository_name }: { repository_name: string }) => repository_name);
    expect(found.toSorted(), query).toEqual([...names].toSorted());
  }
  for (const query of ['stars:>1', 'is:open', 'archived:maybe', 'a OR b', '(a)', '"open', 'props.tier:', 'x'.repeat(257)])
    expect((await ask(query)).status, query).toBe(422);
});

test('values that the organization keeps for itself are set by its owners, others by administrators of the repository too', async () => {
  const { owner, member, outsider, acme, engine, all, one, define } = await setting(w);
  await define('kept', { value_type: 'string' });
  await define('free', { value_type: 'string', ...editable });
  await w.collaborator(engine, member, 'admin');
  await w.collaborator(engine, outsider, 'write');
  const asked = async (who: Parameters<typeof w.as>[0]) => {
    const client = await w.as(who);
    const set = (name: string) => ({ properties: [value(name, fresh('v'))] });
    return [
      (await client.patch(one, set('kept'))).status,
      (await client.patch(one, set('free'))).status,
      (await client.patch(all, { repository_names: [engine.name], ...set('free') })).status,
      (await client.get(one)).status,
    ];
  };
  const ofRepo = { repository_custom_properties: 'write' } as const;
  const ofOrg = { organization_custom_properties: 'write' } as const;
  expect(await asked(owner)).toEqual([204, 204, 204, 200]);
  expect(await asked(member)).toEqual([403, 204, 403, 200]);
  expect(await asked(outsider)).toEqual([403, 403, 403, 200]);
  expect(await asked(await w.user())).toEqual([404, 404, 403, 404]);
  expect(await asked(await w.fineGrained(owner, acme, ofRepo))).toEqual([403, 204, 403, 200]);
  expect(await asked(await w.fineGrained(owner, acme, { ...ofRepo, ...ofOrg }))).toEqual([204, 204, 204, 200]);
  expect(await asked(await w.fineGrained(member, acme, { ...ofRepo, ...ofOrg }))).toEqual([403, 204, 403, 200]);
  const app = await installApp(w, { on: acme, permissions: ofRepo });
  expect(await asked(app.token)).toEqual([403, 204, 403, 200]);
  const other = await installApp(w, { on: acme, permissions: { ...ofRepo, ...ofOrg } });
  expect(await asked(other.token)).toEqual([204, 204, 204, 200]);
});

test('a new repository takes values, and must have those that are demanded', async () => {
  const { acme, client, define } = await setting(w);
  await define('tier', { ...tier, required: true, default_value: '3', require_explicit_values: true });
  await define('areas', areas);
  const create = (custom_properties?: object) =>
    client.post(`/orgs/${acme.login}/repos`, { name: fresh('new'), ...(custom_properties ? { custom_properties } : {}) });
  const made = await create({ tier: '1', areas: ['ops'] });
  expect([made.status, made.body.custom_properties]).toEqual([201, { tier: '1', areas: ['ops'] }]);
  await w.unchanged(tables, async () => {
    for (const [given, field] of [
      [undefined, 'tier'],
      [{ tier: null }, 'tier'],
      [{ tier: '9' }, 'tier'],
      [{ tier: '1', other: 'x' }, 'other'],
    ] as const) {
      const { status, body } = await create(given);
      expect([status, body.errors[0].field]).toEqual([422, `custom_properties.${field}`]);
    }
  });
});

test('repositories of users have no values, and a repository that leaves its organization leaves them there', async () => {
  const { owner, acme, engine, client, one, define } = await setting(w);
  await define('note', { value_type: 'string' });
  await client.patch(one, { properties: [value('note', 'mine')] });
  await client.post(`/repos/${acme.login}/${engine.name}/transfer`, { new_owner: owner.login });
  const own = `/repos/${owner.login}/${engine.name}`;
  expect((await client.get(`${own}/properties/values`)).body).toEqual([]);
  expect((await client.get(own)).body).not.toHaveProperty('custom_properties');
  expect((await client.patch(`${own}/properties/values`, { properties: [value('note', 'x')] })).status).toBe(422);
  await client.post(`${own}/transfer`, { new_owner: acme.login });
  expect((await client.get(one)).body).toEqual([]);
});

test('a ruleset that names a property refuses pushes once the repository has the value, and not before', async () => {
  const { owner, repo, client, first, bring, push } = await ruleSetting(w, { ownedBy: 'organization' });
  const base = `/orgs/${owner.login}`;
  await client.put(`${base}/properties/schema/Tier`, tier);
  const asking = (name: string) => ({
    name: fresh('ruleset'),
    enforcement: 'active',
    conditions: {
      ref_name: { include: ['~DEFAULT_BRANCH'] },
      repository_property: { include: [{ name, property_values: ['1', '2'] }] },
    },
    rules: [{ type: 'update' }],
  });
  for (const name of ['tier', 'constructor']) expect((await client.post(`${base}/rulesets`, asking(name))).status).toBe(201);
  const second = await bring('two', { files: { b: '2' }, parents: [first] });
  const third = await bring('three', { files: { c: '3' }, parents: [second] });
  const set = (to: string | null) =>
    client.patch(`${base}/properties/values`, { repository_names: [repo.name], properties: [value('tier', to)] });
  await set('3');
  expect(await push(`${second}:refs/heads/main`)).toBeUndefined();
  await set('1');
  expect(await push(`${third}:refs/heads/main`)).toMatch(/Cannot update this protected ref/);
  await set(null);
  expect(await push(`${third}:refs/heads/main`)).toBeUndefined();
});

test('values of one repository are refused beyond 32 KiB together, and so are default values', async () => {
  const { all, one, client, define, engine, schema } = await setting(w);
  const allowed_values = Array.from({ length: 200 }, (_, at) => `${at}`.padEnd(75, 'x'));
  for (const name of ['a', 'b', 'c']) await define(name, { value_type: 'multi_select', allowed_values });
  expect((await client.patch(one, { properties: ['a', 'b'].map((name) => value(name, allowed_values)) })).status).toBe(204);
  await w.unchanged(tables, async () => {
    const more = { properties: [value('c', allowed_values)] };
    expect(await client.patch(one, more)).toMatchObject({ status: 422, body: { message: /32768 characters/ } });
    expect((await client.patch(all, { repository_names: [engine.name], ...more })).status).toBe(422);
  });
  expect((await client.patch(one, { properties: [value('a', null), value('c', allowed_values)] })).status).toBe(204);
  const required = { value_type: 'multi_select', allowed_values, required: true, default_value: allowed_values };
  for (const name of ['a', 'b']) await define(name, required);
  expect(await client.put(`${schema}/c`, required)).toMatchObject({ status: 422, body: { message: /32768 characters/ } });
});
