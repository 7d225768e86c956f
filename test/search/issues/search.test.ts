import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Id } from '#lib/id.ts';
import { startBudget } from '#search/result.ts';
import { makeSearchFixture, type SearchFixture } from '#test/search/support.ts';
import { type Options, searchIn, type Wanted, writeIssue } from './support.ts';

let place: SearchFixture;
const ids = new Map<number, string>();
const people: Record<string, Id<'accounts'>> = {};

beforeAll(async () => {
  place = await makeSearchFixture();
  for (const login of ['ada', 'bob', 'eve']) people[login] = await place.account(login);
  const { ada, bob, eve } = people;
  const acme = await place.account('acme', { kind: 'organization' });
  const { id: engine } = await place.repository(acme, 'engine');
  const { id: hidden } = await place.repository(acme, 'hidden', { visibility: 'private' });
  const { id: old } = await place.repository(acme, 'old', { archived: true });
  await place.db.updateTable('repositories').set({ language: 'Rust' }).where('id', '=', old).execute();
  const write = async (name: string, wanted: Wanted, repository = engine) => {
    ids.set(await writeIssue(place, repository, wanted), name);
  };
  if (!ada || !bob || !eve) throw new Error('people');
  await write('crash', {
    title: 'Crash in getUserName',
    body: 'The parser stops. See @bob and @acme/writers.',
    by: ada,
    labels: ['bug', 'help wanted'],
    milestone: 'Version 2',
    assignees: [bob],
    comments: [{ body: 'I saw the flux capacitor fail', by: eve }],
    reactions: { '+1': 3, heart: 1 },
    created: '2024-01-05T10:00:00Z',
    updated: '2024-03-01T00:00:00Z',
  });
  await write('slow', {
    title: 'Slow start',
    body: 'It takes a minute after the crash of the flux.',
    by: bob,
    labels: ['question'],
    state: 'closed',
    reason: 'not_planned',
    locked: true,
    comments: [
      { body: 'Same here', by: ada },
      { body: 'A capacitor, then flux', by: bob },
    ],
    reactions: { laugh: 2, confused: 1, hooray: 5 },
    created: '2024-02-01T00:00:00Z',
    updated: '2024-02-02T00:00:00Z',
    closed: '2024-02-03T00:00:00Z',
  });
  await write('paint', {
    title: 'Paint the engine',
    by: eve,
    labels: ['Bug'],
    created: '2024-04-01T00:00:00Z',
    reactions: { '-1': 2 },
  });
  await write('hidden', { title: 'Secret crash', by: ada, labels: ['bug'] }, hidden);
  await write(
    'old',
    {
      title: 'Rusty gate',
      by: ada,
      created: '2020-01-01T00:00:00Z',
      state: 'closed',
      reason: 'completed',
      closed: '2020-02-01T00:00:00Z',
    },
    old,
  );
});
afterAll(() => place.close());

const everything = sql`(select id from repositories)`;
const search = (q: string, options: Options = {}) => searchIn(place, q, options);
const names = async (q: string, options?: Options) => (await search(q, options)).items.map(({ id }) => ids.get(id) ?? '?');
const sorted = async (q: string, options?: Options) => (await names(q, options)).toSorted();

const all = ['crash', 'old', 'paint', 'slow'];

describe('rule 1: terms and qualifiers', () => {
  test.each([
    ['crash', ['crash', 'slow']],
    ['CRASH', ['crash', 'slow']],
    ['getUserName', ['crash']],
    ['user', ['crash']],
    ['flux capacitor', ['crash', 'slow']],
    ['crash NOT slow', ['crash']],
    ['paint OR rusty', ['old', 'paint']],
    ['"flux capacitor"', ['crash']],
    ['crash -label:question', ['crash']],
    ['in:title crash', ['crash']],
    ['in:body crash', ['slow']],
    ['in:comments flux', ['crash', 'slow']],
    ['in:title,comments crash', ['crash']],
    ['-in:comments flux', ['slow']],
    ['in:title "paint the engine"', ['paint']],
    ['in:body "paint the engine"', []],
    ['is:issue', all],
    ['is:pr', []],
    ['is:pull-request', []],
    ['-is:pr', all],
    ['is:open', ['crash', 'paint']],
    ['is:closed', ['old', 'slow']],
    ['is:locked', ['slow']],
    ['is:unlocked', ['crash', 'old', 'paint']],
    ['is:merged', []],
    ['is:unmerged', []],
    ['is:draft', []],
    ['is:public', all],
    ['is:private', []],
    ['is:internal', []],
    ['-is:internal', all],
    ['is:queued', []],
    ['is:blocked', []],
    ['-is:blocking', all],
    ['type:issue', all],
    ['type:pr', []],
    ['type:Bug', []],
    ['state:open', ['crash', 'paint']],
    ['state:closed crash', ['slow']],
    ['reason:completed', ['old']],
    ['reason:"not planned"', ['slow']],
    ['reason:not_planned reason:completed', ['old', 'slow']],
    ['author:ada', ['crash', 'old']],
    ['author:ADA author:bob', ['crash', 'old', 'slow']],
    ['-author:ada', ['paint', 'slow']],
    ['author:nobody', []],
    ['-author:nobody crash', ['crash', 'slow']],
    ['assignee:bob', ['crash']],
    ['-assignee:bob', ['old', 'paint', 'slow']],
    ['mentions:bob', ['crash']],
    ['mentions:@bob', ['crash']],
    ['mentions:acme', []],
    ['commenter:eve', ['crash']],
    ['commenter:ada commenter:bob', ['slow']],
    ['involves:bob', ['crash', 'slow']],
    ['involves:eve', ['crash', 'paint']],
    ['involves:bob involves:eve', ['crash', 'paint', 'slow']],
    ['team:acme/writers', ['crash']],
    ['team:@acme/readers', []],
    ['label:bug', ['crash', 'paint']],
    ['label:BUG', ['crash', 'paint']],
    ['label:"help wanted"', ['crash']],
    ['label:bug label:"help wanted"', ['crash']],
    ['label:question,"help wanted"', ['crash', 'slow']],
    ['-label:bug', ['old', 'slow']],
    ['milestone:"version 2"', ['crash']],
    ['milestone:version', []],
    ['no:label', ['old']],
    ['no:milestone', ['old', 'paint', 'slow']],
    ['no:assignee', ['old', 'paint', 'slow']],
    ['-no:assignee', ['crash']],
    ['has:assignee', ['crash']],
    ['-has:label', ['old']],
    ['has:project', []],
    ['no:sub-issues', all],
    ['parent-issue:acme/engine#1', []],
    ['-blocked-by:acme/engine#1', all],
    ['assignee:*', ['crash']],
    ['-assignee:*', ['old', 'paint', 'slow']],
    ['no:project', all],
    ['comments:1', ['crash']],
    ['comments:>=1', ['crash', 'slow']],
    ['comments:0', ['old', 'paint']],
    ['-comments:0', ['crash', 'slow']],
    ['reactions:>3', ['crash', 'slow']],
    ['reactions:2', ['paint']],
    ['interactions:5', ['crash']],
    ['interactions:>5', ['slow']],
    ['created:2024-01-05', ['crash']],
    ['created:<2024', ['old']],
    ['created:2024-01-05T10:00:00Z..2024-02-01', ['crash', 'slow']],
    ['created:2024-01-05T11:00:00+01:00', ['crash']],
    ['updated:>=2024-03-01', ['crash', 'paint']],
    ['closed:2024-02-03', ['slow']],
    ['closed:*..2021', ['old']],
    ['-closed:2024', ['crash', 'old', 'paint']],
    ['archived:true', ['old']],
    ['archived:false', ['crash', 'paint', 'slow']],
    ['language:rust', ['old']],
    ['language:rs', ['old']],
    ['-language:RS is:closed', ['slow']],
    ['repo:acme/engine is:closed', ['slow']],
    ['org:acme -repo:acme/engine', ['old']],
    ['user:acme rusty', ['old']],
    ['label:bug OR reason:completed', ['crash', 'old', 'paint']],
    ['nonsense:value', []],
  ])('%s', async (q, expected) => {
    const { items, total_count, incomplete_results } = await search(q);
    expect(items.map(({ id }) => ids.get(id)).toSorted()).toEqual(expected);
    expect({ total_count, incomplete_results }).toEqual({ total_count: expected.length, incomplete_results: false });
  });

  test.each([
    'linked:pr',
    'linked:issue',
    'head:main',
    'base:main',
    'draft:true',
    'draft:false',
    'review:none',
    'review:approved',
    'reviewed-by:ada',
    'review-requested:ada',
    'user-review-requested:@me',
    'team-review-requested:acme/writers',
    'merged:>2020-01-01',
    'project:acme/1',
    'status:success',
    'sha:abcdef12',
    'field.priority:high',
  ])('%s: what Hearth does not hold yet matches nothing, and its opposite everything', async (q) => {
    expect(await sorted(q)).toEqual([]);
    expect(await sorted(`-${q}`)).toEqual(all);
  });

  test('@me is the viewer, and nobody without one', async () => {
    expect(await sorted('author:@me', { viewerId: people.ada as Id<'accounts'> })).toEqual(['crash', 'old']);
    expect(await sorted('involves:@me', { viewerId: people.bob as Id<'accounts'> })).toEqual(['crash', 'slow']);
    expect(await sorted('author:@me')).toEqual([]);
  });
});

describe('advanced search', () => {
  test.each([
    ['(label:bug AND author:eve) OR reason:completed', ['old', 'paint']],
    ['label:bug AND (author:eve OR assignee:bob)', ['crash', 'paint']],
    ['(crash OR paint) is:open', ['crash', 'paint']],
    ['crash OR label:bug', ['crash', 'paint', 'slow']],
    ['crash AND -(label:bug OR is:closed)', []],
    ['NOT (crash OR label:bug)', ['old']],
    ['(comments:0 AND label:bug) OR comments:2', ['paint', 'slow']],
    ['NOT (comments:0 OR flux)', []],
    ['author:ada author:bob', []],
    ['author:ada OR author:bob', ['crash', 'old', 'slow']],
    ['(repo:acme/old OR repo:acme/engine) is:closed', ['old', 'slow']],
    ['repo:acme/old repo:acme/engine', []],
    ['user:acme rusty', ['old']],
    ['"flux capacitor" OR rusty', ['crash', 'old']],
    ['("flux capacitor" AND is:open) OR "slow start"', ['crash', 'slow']],
    ['flux AND NOT "flux capacitor"', ['slow']],
    ['-("flux capacitor" OR is:closed) is:issue', ['paint']],
    ['archived:true OR label:question', ['old', 'slow']],
    ['is:private OR label:question', ['slow']],
    ['user:nobody OR org:acme', all],
  ])('%s', async (q, expected) => {
    const { items, total_count } = await search(q, { advanced: true });
    expect(items.map(({ id }) => ids.get(id)).toSorted()).toEqual(expected);
    expect(total_count).toBe(expected.length);
  });
});

describe('sorts', () => {
  test.each([
    ['comments', ['slow', 'crash', 'old', 'paint']],
    ['reactions', ['slow', 'crash', 'paint', 'old']],
    ['reactions-+1', ['crash']],
    ['reactions--1', ['paint']],
    ['reactions-smile', ['slow']],
    ['reactions-thinking_face', ['slow']],
    ['reactions-heart', ['crash']],
    ['reactions-tada', ['slow']],
    ['interactions', ['slow', 'crash', 'paint', 'old']],
    ['created', ['paint', 'slow', 'crash', 'old']],
    ['updated', ['paint', 'crash', 'slow', 'old']],
  ] as const)('%s', async (sort, expected) => {
    const down = await names('is:issue', { sort });
    expect(down.slice(0, expected.length)).toEqual(
      expected.length === 4 && sort === 'comments' ? ['slow', 'crash', 'old', 'paint'] : expected,
    );
    expect(await names('is:issue', { sort, order: 'asc' })).toEqual(down.toReversed());
  });

  test('best match: the title before the body, and the body before comments', async () => {
    expect(await names('crash')).toEqual(['crash', 'slow']);
    expect(await names('flux')).toEqual(['slow', 'crash']);
    expect(await names('paint OR flux OR gate')).toEqual(['old', 'paint', 'slow', 'crash']);
    const scores = (await search('paint OR flux OR gate')).items.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  });

  test('best match of what has to be looked into, as phrases are, is what it is otherwise', async () => {
    const ranked = async (q: string) => (await search(q)).items.map(({ id, score }) => [ids.get(id), score]);
    const expected = await ranked('paint OR flux OR gate');
    expect(expected).toHaveLength(4);
    expect(await ranked('paint OR flux OR gate OR "is nowhere"')).toEqual(expected);
  });

  test('best match of qualifiers alone: the newest first; pages follow one another', async () => {
    expect(await names('is:issue')).toEqual(['paint', 'slow', 'crash', 'old']);
    expect(await names('is:issue', { page: { limit: 2, offset: 2, number: 2 } })).toEqual(['crash', 'old']);
    expect(await names('paint OR flux OR gate', { page: { limit: 1, offset: 1, number: 2 } })).toEqual(['paint']);
  });
});

describe('rule 6: what cannot be accessed', () => {
  test.each(['repo:acme/hidden', 'repo:acme/missing', 'user:nobody', 'crash org:nobody'])('%s is refused', async (q) => {
    await expect(search(q)).rejects.toMatchObject({ problem: 'inaccessible' });
    await expect(search(`(${q}) AND is:open`, { advanced: true })).rejects.toMatchObject({ problem: 'inaccessible' });
    await expect(search(`(${q} OR repo:acme/none) AND is:open`, { advanced: true })).rejects.toMatchObject({
      problem: 'inaccessible',
    });
  });

  test('of several, what can be accessed is searched', async () => {
    expect(await sorted('crash repo:acme/hidden repo:acme/engine')).toEqual(['crash', 'slow']);
    expect(await sorted('(repo:acme/hidden OR repo:acme/engine) crash', { advanced: true })).toEqual(['crash', 'slow']);
  });

  test('hidden issues are neither found nor counted, but for those who may see them', async () => {
    expect((await search('secret OR crash')).total_count).toBe(2);
    expect((await search('label:bug')).total_count).toBe(2);
    expect((await search('crash', { visible: everything })).total_count).toBe(3);
    expect(await sorted('is:private', { visible: everything })).toEqual(['hidden']);
    expect(await sorted('is:private OR is:closed', { visible: everything })).toEqual(['hidden', 'old', 'slow']);
  });
});

test('rule 4: at most 1,000 results', async () => {
  await expect(search('crash', { page: { limit: 100, offset: 1_000, number: 11 } })).rejects.toMatchObject({
    kind: 'invalid',
  });
});

test('rule 7: a query that takes too long gives what was found, and says so', async () => {
  const slow = sql`(select id from repositories where pg_sleep(30) is not null)`;
  expect(await search('crash', { visible: slow, budget: startBudget(100) })).toMatchObject({ incomplete_results: true });
});

test.each(['???', '-', '()', 'in:title'])('%s has nothing to look for', async (q) => {
  await expect(search(q)).rejects.toMatchObject({ problem: 'no_term' });
});

test('issues of a repository that has turned them off are not searched', async () => {
  const acme = await place.account('quiet', { kind: 'organization' });
  const { id } = await place.repository(acme, 'quiet');
  await writeIssue(place, id, { title: 'Hushed whisper' });
  expect((await search('hushed')).total_count).toBe(1);
  await place.db.updateTable('repositories').set({ has_issues: false }).where('id', '=', id).execute();
  expect((await search('hushed')).total_count).toBe(0);
  expect((await search('hushed repo:quiet/quiet')).total_count).toBe(0);
});
