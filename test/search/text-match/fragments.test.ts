import fc from 'fast-check';
import { expect, test } from 'vitest';
import { analyse, termsOf } from '#search/analyse/analyse.ts';
import { findMatches } from '#search/text-match/find.ts';
import { cutFragments } from '#search/text-match/fragments.ts';
import { finished } from '#test/search/finished.ts';
import { computing } from '#test/support/time.ts';

const texts = fc
  .array(
    fc.oneof(
      fc.constantFrom('foo', 'fooBar', ' ', '\n', '😀', 'foofoo', '_', 'é', 'e\u0301', 'K', '\u212a', 'x'.repeat(90)),
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
      const spans = finished(findMatches(text, [{ terms: termsOf('foo'), phrase: false }], 20));
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

test.each(['foo', 'fooBar', 'é', 'e\u0301', 'K', 'x'.repeat(90)])('a text has a match exactly when the index has %j', (word) => {
  const [term] = termsOf(word);
  if (!term) throw new Error('No term');
  fc.assert(
    fc.property(texts, (text) => {
      const spans = finished(findMatches(text, [{ terms: [term], phrase: false }], 20));
      expect(spans.length > 0).toBe(analyse(text).lexemes.includes(term.lexemes[0] ?? ''));
    }),
    { numRuns: 1_000 },
  );
});

test('accents written as one character or as two are found alike, as words and in phrases', () => {
  const text = 'un cafe\u0301 noir, un café noir';
  const found = (written: string, phrase: boolean) =>
    finished(findMatches(text, [{ terms: termsOf(written), phrase }], 20)).map(({ start, end }) => text.slice(start, end));
  for (const written of ['café', 'cafe\u0301']) expect(found(written, false)).toEqual(['cafe\u0301', 'café']);
  for (const written of ['café noir', 'cafe\u0301 noir']) expect(found(written, true)).toEqual(['cafe\u0301 noir', 'café noir']);
});

// Quadratic work over one file of the largest size takes seconds to minutes.
test.each([
  ['ab', 'ab'.repeat(190_000), 0],
  ['a', `${'a'.repeat(380_000)} a`, 1],
  ['e', 'the elephant sees leaves '.repeat(15_000), 0],
  ['é', 'thè elephant sees leaves '.repeat(15_000), 0],
  ['x', Array.from({ length: 30_000 }, (_, i) => `ex${i.toString(36)}E`).join(' '), 0],
])('looking for %j takes linear time', (word, text, hits) => {
  const find = () => finished(findMatches(text, [{ terms: termsOf(word), phrase: false }], 20));
  expect(computing(() => expect(find()).toHaveLength(hits))).toBeLessThan(1_500);
});
