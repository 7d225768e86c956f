import { expect, test } from 'vitest';
import { expressionProblem, matchesPattern } from '#resources/code/rulesets/patterns.ts';
import { computing } from '#test/support/time.ts';

const message = `${'lorem ipsum '.repeat(5_400)}`;

test('the regular expression of a rule is bounded in its size', () => {
  expect(expressionProblem('^[A-Z]+-\\d+: .{10,72}$')).toBeUndefined();
  expect(expressionProblem('(')).toBe('is not a regular expression of RE2');
  expect(expressionProblem('\\p{L}{1000}'.repeat(80))).toBe('has more than 2500 instructions of RE2');
});

test('a text that is too long for a regular expression violates its rule, whether it must match or not', () => {
  for (const pattern of ['((a|b|c|.)*){300}', '\\p{L}{1000}'.repeat(80)])
    for (const negate of [false, true])
      expect(
        computing(() => expect(matchesPattern({ operator: 'regex', pattern, negate }, message)).toBe(false)),
        pattern,
      ).toBeLessThan(1_000);
  expect(matchesPattern({ operator: 'regex', pattern: '^lorem .{10,72}' }, message)).toBe(true);
  expect(matchesPattern({ operator: 'regex', pattern: '^lorem .{10,72}', negate: true }, message)).toBe(false);
});
