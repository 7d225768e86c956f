import { QueryError } from './errors.ts';
import type { Token } from './lexer.ts';

/** Document 1, rule 5. */
export const maxLength = 256;
const maxOperators = 5;
/** Deeper parentheses are refused. */
export const maxDepth = 5;
/** Hearth's own bound, so that no query becomes a slow statement. Qualifiers that name where to search don't count. */
const maxQualifiers = 100;

const scopes = new Set(['repo', 'user', 'org']);

/** Refuses a query that is longer, or has more operators, than document 1 allows. */
export function checkLimits(tokens: readonly Token[], grammar: { advanced: boolean }): void {
  const words = tokens.filter((token) => token.kind === 'word');
  const length = words.reduce((sum, word) => sum + [...word.text].length, Math.max(0, words.length - 1));
  if (length > maxLength) {
    throw new QueryError('too_long', `The search is longer than ${maxLength} characters, without operators and qualifiers.`);
  }
  if (tokens.filter((token) => token.kind === 'operator').length > maxOperators) {
    throw new QueryError('too_many_operators', `More than ${maxOperators} AND, OR or NOT operators were used.`);
  }
  const counts = (token: Token): boolean => token.kind === 'qualifier' && (grammar.advanced || !scopes.has(token.name));
  if (tokens.filter(counts).length > maxQualifiers) {
    throw new QueryError('too_many_qualifiers', `More than ${maxQualifiers} qualifiers were used.`);
  }
}
