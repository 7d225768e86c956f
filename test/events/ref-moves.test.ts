import { expect, test } from 'vitest';
import type { RefMove } from '#events/ref-moves.ts';
import { eventsOfMoves } from '#events/ref-moves.ts';
import { asId } from '#lib/id.ts';

const about = { owner: asId<'accounts'>(1), repository: asId<'repositories'>(2), actor: undefined, at: new Date(0) };
const [one, two] = ['1'.repeat(40), '2'.repeat(40)];
const moved = (ref: string, before: string | null = one, after: string | null = two): RefMove => ({
  ref,
  before,
  after,
  forced: false,
});
const branches = (count: number) => Array.from({ length: count }, (_, number) => moved(`refs/heads/b${number}`));

test('a new branch is created and pushed, one that is gone deleted and pushed', () => {
  const [fresh, gone] = [moved('refs/heads/x', null), moved('refs/tags/y', one, null)];
  expect(eventsOfMoves(about, [fresh, gone], { defaultBranch: 'main' })).toEqual([
    { ...about, kind: 'create', data: { ref: 'refs/heads/x', oid: two } },
    { ...about, kind: 'push', data: { moves: [fresh] } },
    { ...about, kind: 'delete', data: { ref: 'refs/tags/y', oid: one } },
    { ...about, kind: 'push', data: { moves: [gone] } },
  ]);
});

test.each([
  [3, 3],
  [4, 0],
])('of %i tags at once %i are told of', (count, told) => {
  const tags = Array.from({ length: count }, (_, number) => moved(`refs/tags/v${number}`));
  expect(eventsOfMoves(about, tags, { defaultBranch: 'main' })).toHaveLength(told);
});

test('of more than 5,000 branches the default one alone is told of', () => {
  expect(eventsOfMoves(about, branches(5_000), { defaultBranch: 'b7' })).toHaveLength(5_000);
  expect(eventsOfMoves(about, branches(5_001), { defaultBranch: 'b7' })).toMatchObject([
    { data: { moves: [{ ref: 'refs/heads/b7' }] } },
  ]);
});

test('of other refs nobody is told', () => {
  expect(eventsOfMoves(about, [moved('refs/notes/commits'), moved('refs/pull/1/head')], { defaultBranch: 'main' })).toEqual([]);
});
