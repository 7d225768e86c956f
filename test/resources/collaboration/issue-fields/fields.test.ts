import { expect, test } from 'vitest';
import { eventsOf, installApp } from '#test/support/apps.ts';
import { world } from '#test/support/world.ts';
import { names, priority, setting } from './setting.ts';

const w = await world();
const { as, statements, fineGrained, token, unchanged } = w;
const tables = ['issue_fields', 'issue_field_options', 'issue_field_values', 'events'];

test('an owner makes a field, and its options stand in the order of their priorities', async () => {
  const { acme, path, client } = await setting(w);
  const made = await client.post(path, priority);
  expect(made).toMatchObject({
    status: 200,
    body: { name: 'Priority', description: null, data_type: 'single_select', visibility: 'all' },
  });
  expect(made.body.options).toMatchObject([
    { name: 'High', description: 'Before all else', color: 'red', priority: 1 },
    { name: 'Medium', description: null, color: 'blue', priority: 2 },
    { name: 'Low', description: null, color: 'gray', priority: 3 },
  ]);
  const due = await client.post(path, { name: ' Due ', data_type: 'date', description: 'When it must be done', options: null });
  expect(due.body).toMatchObject({ name: 'Due', description: 'When it must be done', visibility: 'organization_members_only' });
  expect(due.body).not.toHaveProperty('options');
  expect((await client.get(path)).body).toEqual([made.body, due.body]);
  expect((await eventsOf(w, acme)).filter((kind) => kind.startsWith('issue_field.'))).toEqual([
    'issue_field.created',
    'issue_field.created',
  ]);
});

const option = { name: 'High', color: 'red', priority: 1 };
const said: Record<string, string> = {
  missing_field: 'is missing',
  already_exists: '(already exists|options must have different names)',
};

test.each([
  [{ name: undefined }, 'name', 'missing_field'],
  [{ name: ' ' }, 'name', 'invalid'],
  [{ name: '\u200b \u202e' }, 'name', 'invalid'],
  [{ name: 'two\nlines' }, 'name', 'invalid'],
  [{ options: [{ ...option, name: 'tab\t' }] }, 'options.0.name', 'invalid'],
  [{ name: 'x'.repeat(256) }, 'name', 'invalid'],
  [{ name: 7 }, 'name', 'invalid'],
  [{ name: 'TAKEN' }, 'name', 'already_exists'],
  [{ description: 'x'.repeat(1_025) }, 'description', 'invalid'],
  [{ data_type: undefined }, 'data_type', 'missing_field'],
  [{ data_type: 'boolean' }, 'data_type', 'invalid'],
  [{ visibility: 'nobody' }, 'visibility', 'invalid'],
  [{ options: undefined }, 'options', 'missing_field'],
  [{ options: null }, 'options', 'missing_field'],
  [{ options: [] }, 'options', 'invalid'],
  [{ options: {} }, 'options', 'invalid'],
  [{ data_type: 'multi_select', options: null }, 'options', 'missing_field'],
  [{ data_type: 'number' }, 'options', 'invalid'],
  [{ options: [{ ...option, name: undefined }] }, 'options.0.name', 'missing_field'],
  [{ options: [{ ...option, color: undefined }] }, 'options.0.color', 'missing_field'],
  [{ options: [{ ...option, color: 'teal' }] }, 'options.0.color', 'invalid'],
  [{ options: [{ ...option, priority: undefined }] }, 'options.0.priority', 'missing_field'],
  [{ options: [{ ...option, priority: 1.5 }] }, 'options.0.priority', 'invalid'],
  [{ options: [option, { ...option, name: ' high' }] }, 'options.1.name', 'already_exists'],
  [
    {
      options: [
        { ...option, name: '\ud800' },
        { ...option, name: '\udfff' },
      ],
    },
    'options.1.name',
    'already_exists',
  ],
  [{ options: Array.from({ length: 101 }, (_, i) => ({ ...option, name: `${i}` })) }, 'options', 'invalid'],
])('a field with %o is refused, naming what is wrong, and nothing is written', async (wrong, field, code) => {
  const { path, client } = await setting(w);
  await client.post(path, { name: 'Taken', data_type: 'text' });
  await unchanged(tables, async () => {
    const { status, body } = await client.post(path, { ...priority, ...wrong });
    expect([status, body.errors]).toMatchObject([422, [expect.stringMatching(`^${field}: ${said[code] ?? ''}`)]]);
  });
});

test('a field takes 100 options, an organization 25 fields', async () => {
  const { path, client } = await setting(w);
  const options = Array.from({ length: 100 }, (_, i) => ({ name: `${i}`, color: 'pink', priority: i }));
  expect((await client.post(path, { name: '0', data_type: 'multi_select', options })).body.options).toHaveLength(100);
  for (let i = 1; i < 25; i++) await client.post(path, { name: `${i}`, data_type: 'text' });
  const { status, body } = await client.post(path, { name: '25', data_type: 'text' });
  expect([status, body.message]).toEqual([422, 'An organization has at most 25 issue fields']);
  expect((await client.get(path)).body).toHaveLength(25);
});

test('of fields made at the same time under one name, one is', async () => {
  const { path, client } = await setting(w);
  const made = await Promise.all([1, 2, 3, 4].map(() => client.post(path, { name: 'Due', data_type: 'date' })));
  expect(made.map(({ status }) => status).toSorted()).toEqual([200, 422, 422, 422]);
});

test('a field is changed, and nothing of it that is not told', async () => {
  const { acme, path, client } = await setting(w);
  const { body: field } = await client.post(path, priority);
  w.clock.now = new Date(w.clock.now.getTime() + 60_000);
  const changed = await client.patch(`${path}/${field.id}`, { name: 'Urgency', description: 'How soon' });
  expect(changed.status).toBe(200);
  expect(changed.body).toEqual({ ...field, name: 'Urgency', description: 'How soon', updated_at: changed.body.updated_at });
  expect(changed.body.updated_at).not.toBe(field.updated_at);
  expect((await client.patch(`${path}/${field.id}`, { name: 'URGENCY', description: null })).body.description).toBeNull();
  await unchanged(tables, async () => {
    expect((await client.patch(`${path}/${field.id}`, {})).body.name).toBe('URGENCY');
    expect((await client.patch(`${path}/${field.id}`, { name: 'URGENCY', visibility: 'all' })).status).toBe(200);
  });
  expect((await eventsOf(w, acme)).filter((kind) => kind === 'issue_field.edited')).toHaveLength(2);
});

test('options are replaced: those whose id is told stay, the others go', async () => {
  const { path, client } = await setting(w);
  const { body: field } = await client.post(path, priority);
  const [high, medium, low] = field.options;
  w.clock.now = new Date(w.clock.now.getTime() + 60_000);
  const { body } = await client.patch(`${path}/${field.id}`, {
    options: [
      { id: medium.id, name: 'High', color: 'blue', priority: 2 },
      { id: high.id, name: 'Medium', color: 'red', priority: 5 },
      { name: 'Low', color: 'gray', priority: 0 },
    ],
  });
  expect(body.options).toMatchObject([
    { name: 'Low', priority: 0 },
    { id: medium.id, name: 'High', priority: 2, created_at: medium.created_at },
    { id: high.id, name: 'Medium', description: 'Before all else', priority: 5 },
  ]);
  expect(body.options[0].id).not.toBe(low.id);
  expect(body.options[1].updated_at).not.toBe(medium.updated_at);
  w.clock.now = new Date(w.clock.now.getTime() + 60_000);
  await unchanged(tables, async () => {
    expect((await client.patch(`${path}/${field.id}`, { options: body.options })).body).toEqual(body);
  });
});

test.each([
  [{ options: null }, 'options'],
  [{ options: [] }, 'options'],
  [{ options: [{ ...option, id: 999_999 }] }, 'options.0.id'],
  [{ options: [{ ...option, id: 0 }] }, 'options.0.id'],
  [{ options: [{ ...option, name: undefined }] }, 'options.0.name'],
  [{ name: null }, 'name'],
  [{ name: 'taken' }, 'name'],
  [{ visibility: null }, 'visibility'],
])('a change to %o is refused, and nothing is written', async (wrong, field) => {
  const { path, client } = await setting(w);
  await client.post(path, { name: 'Taken', data_type: 'text' });
  const { body: made } = await client.post(path, priority);
  await unchanged(tables, async () => {
    const { status, body } = await client.patch(`${path}/${made.id}`, { description: 'x', ...wrong });
    expect([status, body.errors[0]]).toEqual([422, expect.stringMatching(`^${field}: `)]);
  });
});

test("an option of another field, or told twice, is none of a field's", async () => {
  const { path, client } = await setting(w);
  const { body: field } = await client.post(path, priority);
  const { body: other } = await client.post(path, { ...priority, name: 'Impact' });
  const { body: text } = await client.post(path, { name: 'Text', data_type: 'text' });
  const { id } = field.options[0];
  await unchanged(tables, async () => {
    const foreign = await client.patch(`${path}/${field.id}`, { options: [{ ...option, id: other.options[0].id }] });
    expect([foreign.status, foreign.body.errors[0]]).toEqual([422, expect.stringMatching('^options.0.id: ')]);
    const twice = [
      { ...option, id },
      { ...option, id, name: 'Low' },
    ];
    const refused = await client.patch(`${path}/${field.id}`, { options: twice });
    expect([refused.status, refused.body.errors[0]]).toEqual([422, expect.stringMatching('^options.1.id: ')]);
    expect((await client.patch(`${path}/${text.id}`, { options: [option] })).body.errors[0]).toMatch(/^options: /);
  });
});

test('a deleted field is gone, and its name is free again', async () => {
  const { path, client } = await setting(w);
  const { body: field } = await client.post(path, priority);
  expect((await client.delete(`${path}/${field.id}`)).status).toBe(204);
  expect((await client.delete(`${path}/${field.id}`)).status).toBe(404);
  expect((await client.patch(`${path}/${field.id}`, { name: 'x' })).status).toBe(404);
  expect((await client.get(path)).body).toEqual([]);
  expect((await client.post(path, priority)).status).toBe(200);
});

test("another organization's fields are not to be found, even by the owner of both", async () => {
  const { owner, path, client } = await setting(w);
  const { body: field } = await client.post(path, priority);
  const other = `/orgs/${(await w.org(owner)).login}/issue-fields`;
  await unchanged(tables, async () => {
    expect((await client.patch(`${other}/${field.id}`, { name: 'x' })).status).toBe(404);
    expect((await client.delete(`${other}/${field.id}`)).status).toBe(404);
    expect((await client.patch(`${path}/999999`, { name: 'x' })).status).toBe(404);
    expect((await client.patch(`${path}/nothing`, { name: 'x' })).status).toBe(404);
  });
});

test('outsiders see the fields that are for all; members see all of them', async () => {
  const { owner, member, outsider, acme, path, client } = await setting(w);
  await client.post(path, priority);
  await client.post(path, { name: 'Cost', data_type: 'number' });
  const listed = async (who: Parameters<typeof as>[0]) => names((await (await as(who)).get(path)).body);
  expect(await listed(member)).toEqual(['Priority', 'Cost']);
  expect(await listed(outsider)).toEqual(['Priority']);
  expect(await listed(await fineGrained(member, acme, { issue_fields: 'read' }))).toEqual(['Priority', 'Cost']);
  const app = await installApp(w, { on: acme, permissions: { issue_fields: 'read' } });
  expect(await listed(app.token)).toEqual(['Priority', 'Cost']);
  expect(await listed(await app.userToken(member))).toEqual(['Priority', 'Cost']);
  expect(await listed(await app.userToken(outsider))).toEqual(['Priority']);
  expect((await (await as(undefined)).get(path)).status).toBe(401);
  expect((await (await as(await token(owner, ['repo']))).get(path)).status).toBe(404);
  expect((await (await as(await fineGrained(owner, acme, { members: 'read' }))).get(path)).status).toBe(403);
  expect((await (await as(await fineGrained(owner, outsider, { issue_fields: 'read' }))).get(path)).status).toBe(403);
});

test('where nothing is for all, the list does not exist for outsiders', async () => {
  const { member, outsider, path, client } = await setting(w);
  const listed = async (who: Parameters<typeof as>[0]) => (await as(who)).get(path);
  expect(await listed(outsider)).toMatchObject({ status: 404 });
  expect(await listed(member)).toMatchObject({ status: 200, body: [] });
  await client.post(path, { name: 'Cost', data_type: 'number' });
  expect(await listed(outsider)).toMatchObject({ status: 404 });
});

test('owners alone write, with the right scope or permission', async () => {
  const { owner, member, outsider, acme, path, client } = await setting(w);
  const { body: field } = await client.post(path, priority);
  const one = `${path}/${field.id}`;
  const text = { name: 'Note', data_type: 'text' };
  const app = await installApp(w, { on: acme, permissions: { issue_fields: 'write' } });
  const readingApp = await installApp(w, { on: acme, permissions: { issue_fields: 'read' } });
  const refused = [
    member,
    outsider,
    await token(owner, ['read:org']),
    await fineGrained(owner, acme, { issue_fields: 'read' }),
    await fineGrained(member, acme, { issue_fields: 'write' }),
    await app.userToken(member),
    readingApp.token,
  ];
  await unchanged(tables, async () => {
    for (const who of refused) {
      const theirs = await as(who);
      const replies = [await theirs.post(path, text), await theirs.patch(one, { name: 'x' }), await theirs.delete(one)];
      expect(replies.map(({ status }) => status)).toEqual([403, 403, 403]);
    }
  });
  const allowed = [await token(owner, ['admin:org']), await fineGrained(owner, acme, { issue_fields: 'write' }), app.token];
  for (const who of [...allowed, await app.userToken(owner)]) {
    const theirs = await as(who);
    const made = await theirs.post(path, text);
    expect(made.status).toBe(200);
    expect((await theirs.patch(`${path}/${made.body.id}`, { description: 'x' })).status).toBe(200);
    expect((await theirs.delete(`${path}/${made.body.id}`)).status).toBe(204);
  }
});

test('a list costs as many statements for 1 field as for 25', async () => {
  const { owner, path, client } = await setting(w);
  await client.post(path, priority);
  const one = await statements(owner, path);
  for (let i = 1; i < 25; i++) await client.post(path, { ...priority, name: `${i}` });
  expect((await client.get(path)).body).toHaveLength(25);
  expect(await statements(owner, path)).toBe(one);
  expect(one).toBeLessThanOrEqual(4);
});
