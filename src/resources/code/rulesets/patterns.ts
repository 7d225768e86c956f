import { oncePerObject } from '#lib/collections.ts';
import { fixedValue } from '#lib/limits.ts';
import { sizedExpression } from '#lib/regular-expression.ts';
import { expressionLimits } from './limits.ts';
import type { Pattern } from './rule-types.ts';

const { expressionSize, expressionSteps } = expressionLimits;
const maxSize = fixedValue(expressionSize);
const maxSteps = fixedValue(expressionSteps);

/** Why a text can't be the regular expression of a rule; undefined where it can. */
export function expressionProblem(pattern: string): string | undefined {
  const expression = sizedExpression(pattern, maxSize);
  if (!expression) return 'is not a regular expression of RE2';
  return expression === 'too large' || expression.size > maxSize ? `has more than ${maxSize} instructions of RE2` : undefined;
}

/** Whether a text matches; undefined where that would take too many steps. */
type BoundedTest = (text: string) => boolean | undefined;

const testOf = oncePerObject(({ operator, pattern }: Pattern): BoundedTest => {
  if (operator === 'starts_with') return (text) => text.startsWith(pattern);
  if (operator === 'ends_with') return (text) => text.endsWith(pattern);
  if (operator === 'contains') return (text) => text.includes(pattern);
  const expression = sizedExpression(pattern, maxSize);
  if (!expression) throw new Error('A regular expression was stored that RE2 refuses');
  if (expression === 'too large') return () => undefined;
  const { size, test } = expression;
  return (text) => (size * text.length > maxSteps ? undefined : test(text));
});

const words = { starts_with: 'start with', ends_with: 'end with', contains: 'contain', regex: 'match' } as const;

/** What the pattern of a rule demands of a text, as the end of a sentence. */
export const demandOf = ({ name, negate, operator, pattern }: Pattern): string =>
  name === undefined || name === ''
    ? `must ${negate ? 'not ' : ''}${words[operator]} ${JSON.stringify(pattern)}`
    : `must ${negate ? 'not ' : ''}match the pattern ${JSON.stringify(name)}`;

/**
 * Whether a text is as the pattern of a rule demands; with `negate`, it must not match. One that is too long for the pattern
 * isn't.
 */
export function matchesPattern(pattern: Pattern, text: string): boolean {
  const isMatch = testOf(pattern)(text);
  return isMatch !== undefined && isMatch !== (pattern.negate ?? false);
}
