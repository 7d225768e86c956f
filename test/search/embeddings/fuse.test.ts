import fc from 'fast-check';
import { expect, test } from 'vitest';
import { asId, type Id } from '#lib/id.ts';
import { fuse } from '#search/embeddings/index.ts';

const issues = (ids: number[]): Id<'issues'>[] => ids.map((id) => asId<'issues'>(id));
const list = fc.uniqueArray(fc.integer({ min: 1, max: 40 }), { maxLength: 30 }).map(issues);
const order = (lexical: Id<'issues'>[], semantic: Id<'issues'>[]): number[] =>
  fuse(lexical, semantic).map(({ issueId }) => issueId);

test('the points are those of the places', () => {
  expect(fuse(issues([7, 8]), issues([8, 9]))).toEqual([
    { issueId: 8, score: 1 / 62 + 1 / 61 },
    { issueId: 7, score: 1 / 61 },
    { issueId: 9, score: 1 / 62 },
  ]);
});

test('each issue of either list stands in the result once, by falling points', () => {
  fc.assert(
    fc.property(list, list, (lexical, semantic) => {
      const fused = fuse(lexical, semantic);
      expect(fused.map(({ issueId }) => issueId).sort()).toEqual([...new Set([...lexical, ...semantic])].sort());
      for (const [at, { score }] of fused.entries()) expect(score).toBeLessThanOrEqual(fused[at - 1]?.score ?? 1);
    }),
  );
});

test('one list alone keeps its order, and two equal ones theirs', () => {
  fc.assert(
    fc.property(list, (one) => {
      expect(order(one, [])).toEqual(one);
      expect(order([], one)).toEqual(one);
      expect(order(one, one)).toEqual(one);
    }),
  );
});

test('who is before another in both lists is before it in the result', () => {
  fc.assert(
    fc.property(list, list, (lexical, semantic) => {
      const place = new Map(order(lexical, semantic).map((id, at) => [id, at]));
      const both = lexical.filter((id) => semantic.includes(id));
      for (const a of both)
        for (const b of both)
          if (lexical.indexOf(a) < lexical.indexOf(b) && semantic.indexOf(a) < semantic.indexOf(b))
            expect(place.get(a)).toBeLessThan(place.get(b) ?? -1);
    }),
  );
});

test('among equals, the better lexical place counts, then the newer issue', () => {
  expect(order(issues([1]), issues([2]))).toEqual([1, 2]);
  expect(fuse([], issues([]))).toEqual([]);
});
