import { expect, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { world } from '#test/support/world.ts';
import { setting } from './setting.ts';

const w = await world();
const { as, user, repo: makeRepo, collaborator, unchanged, statements } = w;
const tables = ['issues', 'issue_field_values', 'issue_events', 'events'];

type Shown = { issue_field_values: { issue_field_name: string; value: unknown }[] };
const valuesOf = ({ issue_field_values }: Shown) =>
  issue_field_values.map(({ issue_field_name, value }) => [issue_field_name, value]);

test('an issue shows its values wherever it is shown, to each viewer those of the fields that they may know of', async () => {
  const { acme, owner, member, outsider, engine, place, path, fields, client, set } = await setting(w);
  await set([fields.note, 'for all'], [fields.effort, 3], [fields.secret, 'for members']);
  await client.post(`${place}/issues`, { title: 'Another' });
  await client.patch(`${place}/issues/1`, { assignees: [owner.login] });

  const { body: values } = await client.get(path);
  expect((await client.get(`${place}/issues/1`)).body.issue_field_values).toEqual(values);
  const seen = async (who: Account | undefined) => {
    const theirs = await as(who);
    const { body: list } = await theirs.get(`${place}/issues?direction=asc`);
    return [(await theirs.get(`${place}/issues/1`)).body, ...list].map(valuesOf);
  };
  const open = [
    ['Note', 'for all'],
    ['Effort', 3],
  ];
  const all = [...open, ['Secret', 'for members']];
  expect(await seen(owner)).toEqual([all, all, []]);
  expect(await seen(member)).toEqual([all, all, []]);
  expect(await seen(outsider)).toEqual([open, open, []]);
  expect(await seen(undefined)).toEqual([open, open, []]);
  expect((await client.get('/issues')).body.map(valuesOf)).toEqual([all]);
  await w.settle();
  const { body: found } = await client.get(`/search/issues?q=${encodeURIComponent(`stalls repo:${acme.login}/${engine.name}`)}`);
  expect(found.items.map(valuesOf)).toEqual([all]);
});

test('a list costs as many statements for many issues with values as for one, and one less where none has any', async () => {
  const { owner, place, fields, client } = await setting(w);
  const none = await statements(owner, `${place}/issues`);
  const issue_field_values = [{ field_id: fields.note.id, value: 'x' }];
  await client.post(`${place}/issues`, { title: 'Issue', issue_field_values });
  const one = await statements(owner, `${place}/issues`);
  expect(one).toBe(none + 1);
  for (let i = 0; i < 9; i++) await client.post(`${place}/issues`, { title: `Issue ${i}`, issue_field_values });
  expect(await statements(owner, `${place}/issues`)).toBe(one);
});

test('values are told with the issue itself, when it is opened and when it is changed', async () => {
  const { place, fields, client } = await setting(w);
  const opened = await client.post(`${place}/issues`, {
    title: 'With values',
    issue_field_values: [
      { field_id: fields.note.id, value: 'first' },
      { field_id: fields.areas.id, value: ['Low'] },
    ],
  });
  expect(opened.status).toBe(201);
  expect(opened.body.issue_field_values).toMatchObject([
    { issue_field_name: 'Areas', multi_select_options: [{ name: 'Low' }] },
    { issue_field_name: 'Note', value: 'first' },
  ]);
  const { number } = opened.body;
  const { body: events } = await client.get(`${place}/issues/${number}/events`);
  expect(events.map(({ event }: { event: string }) => event)).toEqual(['issue_field_added', 'issue_field_added']);

  const change = async (body: object) => valuesOf((await client.patch(`${place}/issues/${number}`, body)).body);
  expect(await change({ issue_field_values: [{ field_id: fields.note.id, value: 'second' }] })).toEqual([
    ['Areas', null],
    ['Note', 'second'],
  ]);
  expect(await change({ title: 'Still with values' })).toHaveLength(2);
  expect(await change({ issue_field_values: [] })).toEqual([]);
});

test('a value that cannot be is refused with the issue, and nothing is written', async () => {
  const { place, fields, client } = await setting(w);
  await unchanged(tables, async () => {
    for (const [field_id, value, field] of [
      [fields.effort.id, 'three', 'issue_field_values.0.value'],
      [999_999, 'x', 'issue_field_values.0.field_id'],
      ['x', 'x', 'issue_field_values.0.field_id'],
    ]) {
      const issue_field_values = [{ field_id, value }];
      for (const reply of [
        await client.post(`${place}/issues`, { title: 'New', issue_field_values }),
        await client.patch(`${place}/issues/1`, { title: 'Other', issue_field_values }),
      ])
        expect(reply).toMatchObject({ status: 422, body: { errors: [{ field }] } });
    }
  });
});

test('values are left out where the caller may not write, and where no organization has fields', async () => {
  const { engine, place, fields } = await setting(w);
  const triager = await user();
  await collaborator(engine, triager, 'triage');
  const theirs = await as(triager);
  const issue_field_values = [{ field_id: fields.note.id, value: 'x' }];
  const opened = await theirs.post(`${place}/issues`, { title: 'Hello', issue_field_values });
  expect(opened).toMatchObject({ status: 201, body: { issue_field_values: [] } });
  const changed = await theirs.patch(`${place}/issues/${opened.body.number}`, { title: 'Hello again', issue_field_values });
  expect(changed).toMatchObject({ status: 200, body: { title: 'Hello again', issue_field_values: [] } });

  const own = await makeRepo(triager);
  const alone = await theirs.post(`/repos/${triager.login}/${own.name}/issues`, { title: 'Alone', issue_field_values });
  expect(alone).toMatchObject({ status: 201, body: { issue_field_values: [] } });
});
