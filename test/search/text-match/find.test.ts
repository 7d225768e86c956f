import fc from 'fast-check';
import { expect, test } from 'vitest';
import { termsOf } from '#search/analyse/analyse.ts';
import { findMatches, type WordGroup } from '#search/text-match/find.ts';
import { finished } from '#test/search/finished.ts';
import { computing } from '#test/support/time.ts';

const word = (text: string): WordGroup => ({ terms: termsOf(text), phrase: false });
const phrase = (text: string): WordGroup => ({ terms: termsOf(text), phrase: true });

test('many words are found where each of them is found', () => {
  const piece = fc.constantFrom(
    'get',
    'User',
    'Name',
    'Überfluss',
    'é',
    'e\u0301',
    '数据',
    '数',
    '_',
    '1',
    '😀',
    'İ',
    'مرحبا',
    ' ',
    '.',
  );
  const text = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(''));
  const words = fc.array(fc.array(piece, { minLength: 1, maxLength: 3 }), { minLength: 4, maxLength: 8 });
  let found = 0;
  fc.assert(
    fc.property(text, words, (t, some) => {
      const wanted = some.map((pieces) => word(pieces.join('')));
      const together = finished(findMatches(t, wanted, 40));
      const each = wanted.flatMap((one) => finished(findMatches(t, [one], 40)));
      // Of places that overlap, as 数据数 and 数据 in 数据数据, only one is given.
      const missed = each.filter(({ start, end }) => !together.some((one) => one.start < end && start < one.end));
      expect(missed).toEqual([]);
      expect(each).toEqual(expect.arrayContaining(together));
      found += together.length;
    }),
    { numRuns: 400 },
  );
  expect(found).toBeGreaterThan(100);
});

const letters = [...'abcdefghijklmnopqrstuvwxyz'];
const unicode = Array.from({ length: 120 }, (_, i) => String.fromCharCode(0xe0 + i));
const identifiers = (stem: string) => Array.from({ length: 20_000 }, (_, i) => `${stem}${i}`).join(' ');

test.each([
  ['signs between words of a script without blanks', `数${'_'.repeat(300_000)}`, [phrase('数 _ 数 _ 数')]],
  ['letters in identifiers', identifiers('getAnyUserName'), letters.map(word)],
  ['letters beyond ASCII', identifiers('имяФайла'), unicode.map(word)],
  ['one long identifier', 'aB'.repeat(150_000), letters.map(word)],
  ['many words of one letter, and a phrase of them', 'a '.repeat(100_000), [phrase(`${'a '.repeat(120)}b`)]],
  ['accents without letters', '\u0301'.repeat(300_000), [word('\u0301'), word('a'), word('b'), word('é')]],
])('the work grows with the length of the text alone: %s', (_name, text, wanted) => {
  // Each of these took from 8 seconds to minutes where it was quadratic, or done word by word.
  expect(computing(() => finished(findMatches(text, wanted, 40)))).toBeLessThan(1_500);
});
