import fc from 'fast-check';
import { expect, test } from 'vitest';
import { estimatedSize, sizedExpression } from '#lib/regular-expression.ts';
import { computing } from '#test/support/time.ts';

const size = (expression: string): number => {
  const sized = sizedExpression(expression, Number.MAX_SAFE_INTEGER);
  return sized === undefined || sized === 'too large' ? 0 : sized.size;
};

const atoms = ['a', '.', '\\d', '\\pL', '[a-z]', '[^\\]a]', '\\x{1000}', '\\Qa{9}\\E', '()', '^', '\\b', '\\{'];
const expression = fc.letrec<{ one: string }>((tie) => ({
  one: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(...atoms),
    fc.tuple(tie('one'), tie('one')).map(([left, right]) => left + right),
    fc.tuple(tie('one'), tie('one')).map(([left, right]) => `(?:${left}|${right})`),
    fc
      .tuple(tie('one'), fc.constantFrom('*', '+?', '{3}', '{2,5}', '{4,}', '{0,6}'))
      .map(([inner, often]) => `(${inner})${often}`),
  ),
})).one;

test('the size of a regular expression is known about, without compiling it', () => {
  fc.assert(
    fc.property(expression, (text) => {
      expect(size(text)).toBeLessThanOrEqual(2 * estimatedSize(text) + 10);
    }),
  );
  expect(estimatedSize('a{1000}'.repeat(3))).toBe(3_000);
  expect(estimatedSize('(?i:ab){10,30}')).toBe(120);
});

test('one that is far above its bound is not compiled', () => {
  for (const text of ['a{1000}'.repeat(280), `(?:${'()'.repeat(300)}){1000}`, '(?:(?:a{0,30}){0,30})'.repeat(90)])
    expect(computing(() => expect(sizedExpression(text, 2_500)).toBe('too large'))).toBeLessThan(50);
  expect(sizedExpression('(', 2_500)).toBeUndefined();
});
