import { beforeAll, expect, test } from 'vitest';
import { inGoodTime } from '#test/support/time.ts';
import { world } from '#test/support/world.ts';
import { setting } from '../../collaboration/issues/field-values/setting.ts';

const w = await world();
const { as, settle } = w;
let made: Awaited<ReturnType<typeof setting>>;

beforeAll(async () => {
  made = await setting(w);
  const { fields, client, place, set } = made;
  await client.post(`${place}/issues`, { title: 'It rattles' });
  await set(
    [fields.priority, 'High'],
    [fields.areas, ['Low', 'Medium']],
    [fields.note, 'As soon as possible'],
    [fields.effort, 2.5],
    [fields.due, '2026-03-01'],
    [fields.secret, 'hush'],
  );
  await settle();
});

const total = async (q: string, who = made.owner, more = ''): Promise<number> =>
  (await (await as(who)).get(`/search/issues?q=${encodeURIComponent(q)}${more}`)).body.total_count;

test.each([
  ['field.priority:High', 1],
  ['field.priority:high', 1],
  ['field.Priority:low', 0],
  ['-field.priority:high', 1],
  ['field.areas:low', 1],
  ['field.areas:medium field.areas:low', 1],
  ['field.areas:high', 0],
  ['field.note:"as soon as possible"', 1],
  ['field.note:soon', 0],
  ['field.effort:2.5', 1],
  ['field.effort:>2', 1],
  ['field.effort:<=2.5', 1],
  ['field.effort:>2.5', 0],
  ['field.effort:3..*', 0],
  ['field.effort:*..2.5', 1],
  ['field.effort:-1..2.75', 1],
  ['field.due:2026-03-01', 1],
  ['field.due:<2026-03', 0],
  ['field.due:2026-02-01..2026-04-01', 1],
  ['field.due:*..2026-03-01', 1],
  ['field.due:9999-12-31', 0],
  ['field.due:<=9999-12-31', 1],
  ['field.due:>9999', 0],
  ['field.due:>=0000-01-01T00:00:00+14:00', 1],
  ['field.due:<0000', 0],
  ['field.due:2026-02-30', 0],
  ['field.effort:>1e400', 0],
  ['field.unknown:high', 0],
  ['has:field.priority', 1],
  ['HAS:field.Priority -has:field.unknown', 1],
  ['-has:field.priority', 1],
  ['no:field.priority', 1],
  ['-no:field.priority', 1],
  ['no:field.unknown', 2],
  ['has:field.note no:field.areas', 0],
  ['stalls field.priority:high', 1],
])('%s', async (q, expected) => {
  expect(await total(`repo:${made.acme.login}/${made.engine.name} ${q}`)).toBe(expected);
});

test('many fields at once are found in good time', async () => {
  // PostgreSQL would plan as many joins for longer than the budget.
  expect(await inGoodTime(1_500, () => total('field.priority:high '.repeat(99)))).toBe(1);
});

test('a hundred fields that may or may not be there are found in good time', async () => {
  const fields = `${'has:field.priority '.repeat(50)}${'-no:field.priority '.repeat(50)}`;
  expect(await inGoodTime(1_500, () => total(fields))).toBe(1);
});

test('fields among alternatives, in the advanced grammar', async () => {
  expect(await total('(field.priority:high AND stalls) OR rattles', made.owner, '&advanced_search=true')).toBe(2);
});

test('a field that only members see is searched by members alone', async () => {
  expect([
    await total('field.secret:hush'),
    await total('field.secret:hush', made.member),
    await total('field.secret:hush', made.outsider),
  ]).toEqual([1, 1, 0]);
  expect(await total('-field.secret:hush is:issue', made.outsider)).toBe(2);
  expect([await total('has:field.secret', made.member), await total('has:field.secret', made.outsider)]).toEqual([1, 0]);
  expect(await total('no:field.secret', made.outsider)).toBe(2);
});

test('a value that changes, and an option that is renamed, are found so at once', async () => {
  const { fields, set, client, fieldsPath } = made;
  await set([fields.priority, 'Low']);
  expect([await total('field.priority:high'), await total('field.priority:low')]).toEqual([0, 1]);
  const options = fields.priority.options.map((option) => ({
    ...option,
    name: option.name === 'Low' ? 'Whenever' : option.name,
  }));
  expect((await client.patch(`${fieldsPath}/${fields.priority.id}`, { options })).status).toBe(200);
  expect([await total('field.priority:low'), await total('field.priority:whenever')]).toEqual([0, 1]);
});

test('a value that is set later counts as a change of the issue', async () => {
  const { fields, set } = made;
  w.clock.now = new Date('2026-05-06T00:00:00Z');
  expect(await total('updated:2026-05')).toBe(0);
  await set([fields.note, 'Done']);
  await settle();
  expect(await total('updated:2026-05')).toBe(1);
});
