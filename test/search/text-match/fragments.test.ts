import fc from 'fast-check';
import { expect, test } from 'vitest';
import { analyse, termsOf } from '#search/analyse/analyse.ts';
import { findMatches } from '#search/text-match/find.ts';
import { cutFragments } from '#search/text-match/fragments.ts';

const texts = fc
  .array(
    fc.oneof(
      fc.constantFrom('foo', 'fooBar', ' ', '\n', '😀', 'foofoo', '_', 'é', 'x'.repeat(90)),
      fc.string({ unit: 'binary', maxLength: 5 }),
    ),
    {
      maxLength: 120,
    },
  )
  .map((parts) => parts.join(''));

test('fragments hold their matches at the offsets given, never half a character, and never overlap', () => {
  let matched = 0;
  fc.assert(
    fc.property(texts, (text) => {
      const spans = findMatches(text, [{ terms: termsOf('foo'), phrase: false }], 20);
      const fragments = cutFragments(text, spans, 50);
      expect(fragments.flatMap(({ matches }) => matches)).toHaveLength(spans.length);
      let from = 0;
      for (const { fragment, matches } of fragments) {
        matched += matches.length;
        const at = text.indexOf(fragment, from);
        expect(at).toBeGreaterThanOrEqual(from);
        from = at + fragment.length;
        if (text.isWellFormed()) expect(fragment.isWellFormed()).toBe(true);
        for (const match of matches) {
          expect(fragment.slice(...match.indices)).toBe(match.text);
          expect(match.text.toLowerCase()).toBe('foo');
        }
      }
    }),
    { numRuns: 1_000 },
  );
  expect(matched).toBeGreaterThan(100);
});

test('a text has a match exactly when the index has the word', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const spans = findMatches(text, [{ terms: termsOf('foo'), phrase: false }], 20);
      expect(spans.length > 0).toBe(analyse(text).lexemes.includes('foo'));
    }),
    { numRuns: 1_000 },
  );
});

test('many hits inside one endless identifier cost no more than many elsewhere', () => {
  const start = performance.now();
  expect(findMatches('ab'.repeat(190_000), [{ terms: termsOf('ab'), phrase: false }], 20)).toEqual([]);
  expect(performance.now() - start).toBeLessThan(5_000);
});
