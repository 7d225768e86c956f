import { expect, test } from 'vitest';
import { eventsOf } from '#test/support/apps.ts';
import { world } from '#test/support/world.ts';
import { fieldEvents, setting } from './setting.ts';

const w = await world();
const { as, user, unchanged, statements } = w;
const tables = ['issue_field_values', 'issue_events', 'issues', 'events'];

test('an issue holds a value of each type, in the order of the fields', async () => {
  const { fields, path, client, set } = await setting(w);
  const [high] = fields.priority.options;
  expect((await client.get(path)).body).toEqual([]);
  const { status, body } = await set(
    [fields.due, '2026-02-28'],
    [fields.priority, 'high'],
    [fields.areas, ['Low', 'High', 'low']],
    [fields.note, 'See https://engine.example'],
    [fields.effort, 2.5],
  );
  expect(status).toBe(200);
  expect(body.map(({ node_id: _, ...value }: { node_id: string }) => value)).toEqual([
    {
      issue_field_id: fields.priority.id,
      issue_field_name: 'Priority',
      data_type: 'single_select',
      value: high?.id,
      single_select_option: { id: high?.id, name: 'High', color: 'red' },
    },
    {
      issue_field_id: fields.areas.id,
      issue_field_name: 'Areas',
      data_type: 'multi_select',
      value: null,
      multi_select_options: [
        { id: fields.areas.options[0]?.id, name: 'High', color: 'red' },
        { id: fields.areas.options[2]?.id, name: 'Low', color: 'gray' },
      ],
    },
    { issue_field_id: fields.note.id, issue_field_name: 'Note', data_type: 'text', value: 'See https://engine.example' },
    { issue_field_id: fields.effort.id, issue_field_name: 'Effort', data_type: 'number', value: 2.5 },
    { issue_field_id: fields.due.id, issue_field_name: 'Due', data_type: 'date', value: '2026-02-28' },
  ]);
  expect((await client.get(path)).body).toEqual(body);
  const second = await client.get(`${path}?per_page=2&page=2`);
  expect(second.body.map(({ issue_field_name }: { issue_field_name: string }) => issue_field_name)).toEqual(['Note', 'Effort']);
  expect(second.headers.link).toContain('page=3');
});

test('what changes is told on the issue and to whoever listens; what stays is not', async () => {
  const { acme, fields, path, place, client, set } = await setting(w);
  await set([fields.priority, 'High'], [fields.areas, ['Low']], [fields.effort, 1]);
  w.clock.now = new Date(w.clock.now.getTime() + 60_000);
  await set([fields.priority, 'Low'], [fields.areas, ['low']], [fields.effort, 1]);
  await set([fields.areas, ['High', 'Low']]);
  expect((await client.delete(`${path}/${fields.effort.id}`)).status).toBe(204);
  await set([fields.areas, []]);
  const expected = [
    ['issue_field_added', 'Priority', undefined, 'High'],
    ['issue_field_added', 'Areas', undefined, ['Low']],
    ['issue_field_added', 'Effort', undefined, 1],
    ['issue_field_changed', 'Priority', 'High', 'Low'],
    ['issue_field_changed', 'Areas', ['Low'], ['High', 'Low']],
    ['issue_field_removed', 'Effort', 1, undefined],
    ['issue_field_removed', 'Areas', ['High', 'Low'], undefined],
  ];
  const events = await client.get(`${place}/issues/1/events`);
  expect(fieldEvents(events.body)).toEqual(expected);
  expect(events.body[0].issue_field).toEqual({
    id: fields.priority.id,
    name: 'Priority',
    data_type: 'single_select',
    value: 'High',
  });
  expect(fieldEvents((await client.get(`${place}/issues/1/timeline`)).body)).toEqual(expected);
  expect(fieldEvents((await client.get(`${place}/issues/events`)).body)).toEqual(expected.toReversed());
  expect((await client.get(`${place}/issues/events/${events.body[0].id}`)).body).toEqual({
    ...events.body[0],
    issue: expect.objectContaining({ number: 1 }),
  });
  expect((await eventsOf(w, acme)).filter((kind) => kind.startsWith('issue.field_'))).toEqual([
    ...Array(3).fill('issue.field_added'),
    ...Array(2).fill('issue.field_changed'),
    ...Array(2).fill('issue.field_removed'),
  ]);
  const issue = (await client.get(`${place}/issues/1`)).body;
  expect(issue.updated_at).not.toBe(issue.created_at);
});

test('an empty list clears everything, no list nothing', async () => {
  const { path, client, fields, set } = await setting(w);
  const { body } = await set([fields.note, 'x'], [fields.areas, ['Low', 'High']], [fields.secret, 'y']);
  await unchanged(tables, async () => expect((await client.post(path, {})).body).toEqual(body));
  expect((await client.post(path, { issue_field_values: [] })).body).toEqual([]);
  await unchanged(tables, async () => expect((await client.post(path, { issue_field_values: [] })).status).toBe(200));
});

test.each([
  ['note', 7, 'value'],
  ['note', ' ', 'value'],
  ['note', 'x'.repeat(1_025), 'value'],
  ['note', null, 'value'],
  ['note', { is: 1 }, 'value'],
  ['note', 'a\0b', 'value'],
  ['effort', '7', 'value'],
  ['effort', [], 'value'],
  ['due', '2026-02-29', 'value'],
  ['due', '0000-01-01', 'value'],
  ['due', '2026-1-1', 'value'],
  ['due', '2026-01-01T00:00:00Z', 'value'],
  ['due', 20_260_101, 'value'],
  ['priority', 'Urgent', 'value'],
  ['priority', ['High'], 'value'],
  ['priority', 1, 'value'],
  ['areas', 'High', 'value'],
  ['areas', ['High', 'Urgent'], 'value'],
  ['areas', [''], 'value'],
  ['areas', [1], 'value.0'],
] as const)('%s = %o is refused, naming it, and nothing is written', async (name, value, field) => {
  const { fields, set } = await setting(w);
  const good = name === 'note' ? 'effort' : 'note';
  await unchanged(tables, async () => {
    const { status, body } = await set([fields[good], good === 'note' ? 'x' : 1], [fields[name], value]);
    const { resource, field: named } = body.errors[0];
    expect([status, resource, named]).toEqual([422, 'IssueFieldValue', `issue_field_values.1.${field}`]);
  });
});

test.each([
  [{ issue_field_values: {} }, 'issue_field_values'],
  [{ issue_field_values: null }, 'issue_field_values'],
  [{ issue_field_values: [7] }, 'issue_field_values.0'],
  [{ issue_field_values: [{ value: 'x' }] }, 'issue_field_values.0.field_id'],
  [{ issue_field_values: [{ field_id: 1 }] }, 'issue_field_values.0.value'],
  [{ issue_field_values: [{ field_id: '1', value: 'x' }] }, 'issue_field_values.0.field_id'],
  [{ issue_field_values: [{ field_id: 1, value: 'x', more: 1 }] }, 'issue_field_values.0'],
  [{ issue_field_values: [{ field_id: 999_999, value: 'x' }] }, 'issue_field_values.0.field_id'],
  [{ issue_field_values: Array(26).fill({ field_id: 1, value: 'x' }) }, 'issue_field_values'],
])('%o is refused', async (wanted, field) => {
  const { path, client } = await setting(w);
  await unchanged(tables, async () => {
    const { status, body } = await client.post(path, wanted);
    expect([status, body.errors[0].field]).toEqual([422, field]);
  });
});

test.each(['1e999', '-1e999'])('the number %s, which is none, is refused', async (number) => {
  const { fields, path, client } = await setting(w);
  await unchanged(tables, async () => {
    const body = `{"issue_field_values":[{"field_id":${fields.effort.id},"value":${number}}]}`;
    expect((await client.post(path, body)).status).toBe(422);
  });
});

test('a field may be named once', async () => {
  const { fields, set } = await setting(w);
  await unchanged(tables, async () => {
    const { status, body } = await set([fields.note, 'x'], [fields.note, 'y']);
    expect([status, body.errors[0].field]).toEqual([422, 'issue_field_values.1.field_id']);
  });
});

test("fields of another organization, issues elsewhere and a user's own repository", async () => {
  const { owner, fields, place, client } = await setting(w);
  const other = await setting(w);
  const own = await w.repo(owner);
  const inOwn = `/repos/${owner.login}/${own.name}/issues/1`;
  await client.post(inOwn.replace('/1', ''), { title: 'Mine' });
  await other.set([other.fields.note, 'x']);
  await unchanged(tables, async () => {
    const foreign = await other.set([fields.note, 'x']);
    expect([foreign.status, foreign.body.errors[0].code]).toEqual([422, 'missing']);
    expect((await other.client.delete(`${other.path}/${fields.note.id}`)).status).toBe(404);
    expect((await client.delete(`${place}/issues/1/issue-field-values/${fields.note.id}`)).status).toBe(404);
    expect((await client.delete(`${place}/issues/1/issue-field-values/${other.fields.note.id}`)).status).toBe(404);
    for (const call of [client.get, client.post])
      expect((await call(`${place}/issues/2/issue-field-values`, {})).status).toBe(404);
    expect((await client.get(`${inOwn}/issue-field-values`)).body).toEqual([]);
    const refused = await client.post(`${inOwn}/issue-field-values`, {
      issue_field_values: [{ field_id: fields.note.id, value: 'x' }],
    });
    expect(refused.status).toBe(422);
  });
});

test('an option takes its values along, a field all of them; renamed, they stay', async () => {
  const { fieldsPath, fields, path, client, set } = await setting(w);
  await set([fields.priority, 'High'], [fields.areas, ['High', 'Low']], [fields.note, 'x']);
  for (const { id, options } of [fields.priority, fields.areas]) {
    const kept = options.filter(({ name }) => name !== 'High').map((option) => ({ ...option, name: `${option.name}er` }));
    expect((await client.patch(`${fieldsPath}/${id}`, { options: kept })).status).toBe(200);
  }
  const { body } = await client.get(path);
  expect(body).toMatchObject([{ multi_select_options: [{ name: 'Lower' }] }, { value: 'x' }]);
  await client.delete(`${fieldsPath}/${fields.note.id}`);
  await client.patch(`${fieldsPath}/${fields.areas.id}`, { name: 'Rooms' });
  expect((await client.get(path)).body).toMatchObject([{ issue_field_name: 'Rooms' }]);
});

test('a repository that leaves the organization leaves its fields, and finds them again', async () => {
  const { owner, acme, place, engine, path, client, fields, set } = await setting(w);
  const next = await user();
  const { body } = await set([fields.note, 'x'], [fields.secret, 'y']);
  expect((await client.post(`${place}/transfer`, { new_owner: owner.login })).status).toBe(202);
  const moved = `/repos/${owner.login}/${engine.name}`;
  expect((await client.get(`${moved}/issues/1/issue-field-values`)).body).toEqual([]);
  const seen = async (who: typeof owner) => fieldEvents((await (await as(who)).get(`${moved}/issues/1/events`)).body);
  expect((await seen(owner)).map(([, name]) => name)).toEqual(['Note', 'Secret']);
  expect((await seen(next)).map(([, name]) => name)).toEqual(['Note']);
  expect((await client.post(`${moved}/transfer`, { new_owner: acme.login })).status).toBe(202);
  expect((await client.get(path)).body).toEqual(body);
});

test('of values set at the same time one is there', async () => {
  const { fields, path, client, set } = await setting(w);
  const replies = await Promise.all(['High', 'Low', 'Medium', 'High'].map((name) => set([fields.priority, name])));
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect((await client.get(path)).body).toHaveLength(1);
});

test('a list costs as many statements for 1 value as for 25', async () => {
  const { owner, fieldsPath, path, client, fields, set } = await setting(w);
  await set([fields.areas, ['High']]);
  const one = await statements(owner, path);
  for (let i = 6; i < 25; i++) await client.post(fieldsPath, { name: `${i}`, data_type: 'number' });
  const all: { id: number; data_type: string }[] = (await client.get(fieldsPath)).body;
  const filling = { text: 'x', number: 1, date: '2026-01-01', single_select: 'High', multi_select: ['High', 'Low'] };
  const { body } = await client.post(path, {
    issue_field_values: all.map(({ id, data_type }) => ({ field_id: id, value: filling[data_type as keyof typeof filling] })),
  });
  expect(body).toHaveLength(25);
  expect(await statements(owner, path)).toBe(one);
});
