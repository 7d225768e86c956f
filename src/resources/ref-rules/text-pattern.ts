import { RE2JS } from 're2js';
import type { Pattern } from '#resources/rulesets/index.ts';

/** Compiled expressions, by their texts: those of a push are used for each of its commits. */
const compiled = new Map<string, RE2JS>();
const maxCompiled = 1_000;

function expressionOf(text: string): RE2JS {
  const known = compiled.get(text);
  if (known) return known;
  if (compiled.size >= maxCompiled) compiled.clear();
  const expression = RE2JS.compile(text);
  compiled.set(text, expression);
  return expression;
}

const matchers: Record<Pattern['operator'], (text: string, pattern: string) => boolean> = {
  starts_with: (text, pattern) => text.startsWith(pattern),
  ends_with: (text, pattern) => text.endsWith(pattern),
  contains: (text, pattern) => text.includes(pattern),
  regex: (text, pattern) => expressionOf(pattern).matcher(text).find(),
};

/** Whether a text is as a pattern wants it. Regular expressions are those of RE2, which take linear time whatever is written in them. */
export const matchesPattern = ({ operator, pattern, negate = false }: Pattern, text: string): boolean =>
  matchers[operator](text, pattern) !== negate;
