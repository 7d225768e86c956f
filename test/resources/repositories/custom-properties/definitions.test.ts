import { Octokit } from 'octokit';
import { expect, test } from 'vitest';
import { countStatements } from '#database/client.ts';
import { eventsOf, installApp } from '#test/support/apps.ts';
import { world } from '#test/support/world.ts';
import { areas, setting, tier, value } from './setting.ts';

const w = await world();
const tables = ['custom_properties', 'custom_property_values', 'events'];

test('an owner defines properties, which have what was left out as new ones have it', async () => {
  const { acme, client, schema } = await setting(w);
  const properties = [
    { property_name: 'Tier', ...tier, required: true, default_value: '2', description: 'How much depends on it' },
    { property_name: 'areas', ...areas, values_editable_by: 'org_and_repo_actors' },
    { property_name: 'site', value_type: 'url', description: null },
  ];
  const made = await client.patch(schema, { properties });
  const common = { source_type: 'organization', require_explicit_values: false, values_editable_by: 'org_actors' };
  const plain = { ...common, required: false, default_value: null, description: null };
  const url = (name: string) => `${w.url}/api/v3${schema}/${name}`;
  expect(made.status).toBe(200);
  expect(made.body).toEqual([
    { ...common, ...properties[0], url: url('Tier') },
    { ...plain, ...properties[1], url: url('areas') },
    { ...plain, ...properties[2], allowed_values: null, url: url('site') },
  ]);
  expect((await client.get(schema)).body.map((one: { property_name: string }) => one.property_name)).toEqual([
    'areas',
    'site',
    'Tier',
  ]);
  expect((await client.get(`${schema}/TIER`)).body).toEqual(made.body[0]);
  const replaced = await client.put(`${schema}/tier`, { ...tier, allowed_values: ['3'] });
  expect(replaced.body).toEqual({ ...plain, ...tier, allowed_values: ['3'], property_name: 'Tier', url: url('Tier') });
  await w.unchanged(tables, async () => {
    expect((await client.patch(schema, { properties: properties.slice(1) })).status).toBe(200);
  });
  expect((await client.delete(`${schema}/Tier`)).status).toBe(204);
  for (const again of [await client.delete(`${schema}/Tier`), await client.get(`${schema}/Tier`)]) expect(again.status).toBe(404);
  const kinds = (await eventsOf(w, acme)).filter((kind) => kind.startsWith('custom_property.'));
  expect(kinds).toEqual([
    ...Array.from({ length: 3 }, () => 'custom_property.created'),
    'custom_property.updated',
    'custom_property.deleted',
  ]);
});

test.each([
  [{ property_name: undefined }, 'property_name', 'missing_field'],
  [{ property_name: 'two words' }, 'property_name', 'invalid'],
  [{ property_name: 'x'.repeat(76) }, 'property_name', 'invalid'],
  [{ property_name: '' }, 'property_name', 'invalid'],
  [{ value_type: undefined }, 'value_type', 'missing_field'],
  [{ value_type: 'number' }, 'value_type', 'invalid'],
  [{ property_name: 'TAKEN' }, 'value_type', 'invalid'],
  [{ allowed_values: undefined }, 'allowed_values', 'missing_field'],
  [{ allowed_values: [] }, 'allowed_values', 'missing_field'],
  [{ allowed_values: ['1', '1'] }, 'allowed_values.1', 'already_exists'],
  [{ allowed_values: ['"'] }, 'allowed_values.0', 'invalid'],
  [{ allowed_values: ['x'.repeat(76)] }, 'allowed_values.0', 'invalid'],
  [{ allowed_values: Array.from({ length: 201 }, (_, at) => `${at}`) }, 'allowed_values', 'invalid'],
  [{ value_type: 'string' }, 'allowed_values', 'invalid'],
  [{ required: true }, 'default_value', 'missing_field'],
  [{ required: true, default_value: '4' }, 'default_value', 'invalid'],
  [{ required: true, default_value: ['1'] }, 'default_value', 'invalid'],
  [{ default_value: '1' }, 'default_value', 'invalid'],
  [{ value_type: 'multi_select', required: true, default_value: '1' }, 'default_value', 'invalid'],
  [{ value_type: 'multi_select', required: true, default_value: [] }, 'default_value', 'missing_field'],
  [{ require_explicit_values: true }, 'require_explicit_values', 'invalid'],
  [{ values_editable_by: 'everybody' }, 'values_editable_by', 'invalid'],
  [{ description: 'x'.repeat(256) }, 'description', 'invalid'],
])('a definition with %o is refused, naming what is wrong, and nothing is written', async (wrong, field, code) => {
  const { client, schema, define } = await setting(w);
  await define('taken', { value_type: 'string' });
  await w.unchanged(tables, async () => {
    const properties = [
      { property_name: 'fine', value_type: 'string' },
      { property_name: 'tier', ...tier, ...wrong },
    ];
    const { status, body } = await client.patch(schema, { properties });
    expect([status, body.errors[0].resource, body.errors[0].field, body.errors[0].code]).toEqual([
      422,
      'CustomProperty',
      `properties.1.${field}`,
      code,
    ]);
  });
});

test('what a path names is refused as what a body names', async () => {
  const { client, schema } = await setting(w);
  await w.unchanged(tables, async () => {
    const named = await client.put(`${schema}/two%20words`, { value_type: 'string' });
    expect([named.status, named.body.errors[0].field]).toEqual([422, 'property_name']);
    const typed = await client.put(`${schema}/tier`, { value_type: 'single_select' });
    expect([typed.status, typed.body.errors[0].field]).toEqual([422, 'allowed_values']);
    const twice = ['tier', 'TIER'].map((property_name) => ({ property_name, ...tier }));
    const refused = await client.patch(schema, { properties: twice });
    expect([refused.status, refused.body.errors[0].field]).toEqual([422, 'properties.1.property_name']);
    expect((await client.patch(schema, { properties: [] })).status).toBe(422);
    expect((await client.patch(schema, {})).status).toBe(422);
  });
});

test('an organization has 100 properties, whose definition costs the same number of statements as that of one', async () => {
  const { client, schema, define } = await setting(w);
  const named = (count: number, from = 0) =>
    Array.from({ length: count }, (_, at) => ({ property_name: `p${from + at}`, value_type: 'string' }));
  const counted = async (properties: object[]) =>
    (await countStatements(() => client.patch(schema, { properties }))).statements.length;
  await counted(named(1, 200)); // the token is used for the first time
  await client.delete(`${schema}/p200`);
  const one = await counted(named(1));
  expect(await counted(named(99, 1))).toBe(one);
  await w.unchanged(tables, async () => {
    const { status, body } = await client.put(`${schema}/more`, { value_type: 'string' });
    expect([status, body.message]).toEqual([422, 'An organization has at most 100 custom properties']);
  });
  expect((await define('p7', { value_type: 'string', description: 'Changed' })).description).toBe('Changed');
});

test('definitions and values that change at the same time wait for each other', async () => {
  const { engine, client, schema, all, define } = await setting(w);
  const names = Array.from({ length: 10 }, (_, at) => `p${at}`);
  for (const name of names) await define(name, { value_type: 'string' });
  const rounds = Array.from({ length: 12 }, (_, round) => {
    const order = round % 2 === 0 ? names : names.toReversed();
    if (round % 3 === 0)
      return client.patch(all, { repository_names: [engine.name], properties: order.map((name) => value(name, `${round}`)) });
    const properties = order.map((property_name) => ({ property_name, value_type: 'string', description: `${round}` }));
    return client.patch(schema, { properties });
  });
  for (const { status } of await Promise.all(rounds)) expect([200, 204]).toContain(status);
});

test('values that are no longer allowed leave the repositories, and so do those of a deleted property', async () => {
  const { client, schema, one, define } = await setting(w);
  await define('tier', tier);
  await define('areas', areas);
  await client.patch(one, { properties: [value('tier', '1'), value('areas', ['ops', 'web'])] });
  await define('tier', { ...tier, allowed_values: ['2', '1'] });
  await define('areas', { ...areas, allowed_values: ['web', 'more'] });
  expect((await client.get(one)).body).toEqual([value('areas', ['web']), value('tier', '1')]);
  await define('tier', { ...tier, allowed_values: ['2'] });
  expect((await client.get(one)).body).toEqual([value('areas', ['web'])]);
  await client.delete(`${schema}/areas`);
  await define('areas', areas);
  expect((await client.get(one)).body).toEqual([]);
});

test('members read definitions, owners alone write them, with the right scope or permission', async () => {
  const { owner, member, outsider, acme, schema, define } = await setting(w);
  await define('tier', tier);
  const property = { value_type: 'string' };
  const asked = async (who: Parameters<typeof w.as>[0]) => {
    const client = await w.as(who);
    return [(await client.get(schema)).status, (await client.put(`${schema}/new`, property)).status];
  };
  const permitted = (level: 'read' | 'write' | 'admin') => ({ organization_custom_properties: level });
  expect(await asked(owner)).toEqual([200, 200]);
  expect(await asked(member)).toEqual([200, 403]);
  expect(await asked(outsider)).toEqual([404, 403]);
  expect(await asked(undefined)).toEqual([401, 401]);
  expect(await asked(await w.token(owner, ['read:org']))).toEqual([200, 403]);
  expect(await asked(await w.fineGrained(owner, acme, permitted('write')))).toEqual([200, 403]);
  expect(await asked(await w.fineGrained(owner, acme, permitted('admin')))).toEqual([200, 200]);
  expect(await asked(await w.fineGrained(member, acme, permitted('admin')))).toEqual([200, 403]);
  const app = await installApp(w, { on: acme, permissions: permitted('admin') });
  expect(await asked(app.token)).toEqual([200, 200]);
});

test('Octokit defines properties, sets and reads values', async () => {
  const { owner, acme, engine } = await setting(w);
  const octokit = new Octokit({ baseUrl: `${w.url}/api/v3`, auth: await w.token(owner), throttle: { enabled: false } });
  const [org, there] = [acme.login, { owner: acme.login, repo: engine.name }];
  await octokit.rest.orgs.customPropertiesForReposCreateOrUpdateOrganizationDefinitions({
    org,
    properties: [{ property_name: 'tier', value_type: 'single_select', allowed_values: ['1', '2'] }],
  });
  await octokit.rest.orgs.customPropertiesForReposCreateOrUpdateOrganizationValues({
    org,
    repository_names: [engine.name],
    properties: [{ property_name: 'tier', value: '2' }],
  });
  const { data } = await octokit.rest.repos.customPropertiesForReposGetRepositoryValues(there);
  expect(data).toEqual([value('tier', '2')]);
  expect((await octokit.rest.repos.get(there)).data.custom_properties).toEqual({ tier: '2' });
});
