import fc from 'fast-check';
import { expect, test } from 'vitest';
import { termsOf } from '#search/analyse/analyse.ts';
import { filterWithinBudget } from '#search/look-through.ts';
import { startBudget } from '#search/result.ts';
import type { Steps } from '#search/slices.ts';
import { phrasePattern } from '#search/text-match/pattern.ts';
import { phraseFinder } from '#search/text-match/phrase.ts';
import { finished } from '#test/search/finished.ts';

function* isEven(item: number): Steps<boolean> {
  yield;
  return item % 2 === 0;
}

test('everything is checked where there is time, in its order', async () => {
  const found = await filterWithinBudget([1, 2, 3, 4], startBudget(60_000), isEven);
  expect(found).toEqual({ matching: [2, 4], checked: 4 });
});

// A phrase that nearly matches everywhere takes longest.
const near = `${'数 '.repeat(118)}c `.repeat(130);
const finder = phraseFinder(termsOf(`${'数 '.repeat(118)}b`));

test('rule 7: when the time is over, what matched until then is given, and others had their turn', async () => {
  const items = Array.from({ length: 100 }, () => [near, near, near]);
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  // The time is over once others have had some turns, so it never is where they have none.
  const budget = { left: () => (turns < 5 ? 1_000 : 0) };
  const { matching, checked } = await filterWithinBudget(items, budget, function* none(texts) {
    for (const text of texts) if (yield* finder.isIn(text)) return false;
    return true;
  });
  clearInterval(timer);
  expect(matching).toHaveLength(checked);
  expect(checked).toBeLessThan(100);
});

test('rule 7: the largest text is no exception: no step of the search in it computes for long', () => {
  // The most that is searched of one file; the whole of it takes half a second and more.
  const steps = finder.isIn(near.repeat(Math.ceil((384 * 1024) / near.length)));
  let longest = 0;
  for (let done = false; !done; ) {
    const before = process.threadCpuUsage();
    done = steps.next().done === true;
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, (user + system) / 1_000);
  }
  expect(longest).toBeLessThan(50);
});

test('the time ends in the middle of a text, which then counts as one that nobody looked at', async () => {
  let asked = 0;
  const budget = { left: () => (asked++ < 4 ? 1_000 : 0) };
  const { matching, checked } = await filterWithinBudget(['first', near.repeat(20)], budget, (text) => finder.isIn(text));
  expect({ matching, checked }).toEqual({ matching: [], checked: 1 });
});

test('a phrase is found where one regular expression finds it', () => {
  const word = fc.constantFrom('a', 'A', 'b', 'ab', '数', '数数', 'é', 'e\u0301', '𠮷', '_');
  const gap = fc.constantFrom(' ', '. ', '', '_', '😀', '\n');
  const written = fc.array(fc.tuple(word, gap), { minLength: 4, maxLength: 40 });
  let found = 0;
  fc.assert(
    fc.property(written, fc.nat(30), fc.integer({ min: 2, max: 3 }), (pieces, from, length) => {
      const text = pieces.flat().join('');
      const start = from % (pieces.length - length);
      const terms = termsOf(
        pieces
          .slice(start, start + length)
          .map(([one]) => one)
          .join(' '),
      );
      const expected = [...text.matchAll(phrasePattern(terms, 'giu'))].map(({ index, 0: { length: units } }) => ({
        start: index,
        end: index + units,
      }));
      expect(finished(phraseFinder(terms).spansIn(text, 100))).toEqual(expected);
      found += expected.length;
    }),
    { numRuns: 1_000 },
  );
  expect(found).toBeGreaterThan(50);
});

test('a failure that is none of time is one', async () => {
  const broken = filterWithinBudget([1], startBudget(60_000), function* fail(): Steps<boolean> {
    yield;
    throw new Error('broken');
  });
  await expect(broken).rejects.toThrow('broken');
});
