import { oncePerObject } from '#lib/collections.ts';
import { regularExpression, type TextTest } from '#lib/regular-expression.ts';
import type { Pattern } from './rule-types.ts';

const testOf = oncePerObject(({ operator, pattern }: Pattern): TextTest => {
  if (operator === 'starts_with') return (text) => text.startsWith(pattern);
  if (operator === 'ends_with') return (text) => text.endsWith(pattern);
  if (operator === 'contains') return (text) => text.includes(pattern);
  const test = regularExpression(pattern);
  if (!test) throw new Error('A regular expression was stored that RE2 refuses');
  return test;
});

/** Whether a text is as the pattern of a rule demands; with `negate`, it must not match. */
export const matchesPattern = (pattern: Pattern, text: string): boolean => testOf(pattern)(text) !== (pattern.negate ?? false);
