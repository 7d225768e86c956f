import { fixedValue } from '#lib/limits.ts';
import { searchLimits } from '#search/limits.ts';
import { QueryError } from './errors.ts';
import type { Token } from './lexer.ts';
import type { SearchKind } from './qualifiers.ts';
import { leaves, type Node, type Qualifier } from './tree.ts';

const { text, operators, depth, qualifiers, lookups, values } = searchLimits;

/** The maximum depth of parentheses. */
export const maxDepth: number = fixedValue(depth);

const scopes = new Set(['repo', 'user', 'org']);

const isField = (name: string): boolean => name.toLowerCase().startsWith('field.');

/** Qualifiers of issues that need other tables, and such values of `is:`, `has:` and `no:`. */
const lookupNames = /^(status|linked|review(ed-by)?|(user-|team-)?review-requested|parent-issue|sub-issue|blocked-by|blocking)$/;
const lookupValues = /^(parent-issue|sub-issues?|blocked-by|blocked|blocking)$/i;

/** Whether PostgreSQL plans a subquery for this qualifier, which takes a hundred times as much memory as a word. */
const needsLookup = (kind: SearchKind, { name, raw }: Pick<Qualifier, 'name' | 'raw'>): boolean =>
  (kind === 'users' && (name === 'repos' || name === 'language')) ||
  isField(name) ||
  /^(good-first|help-wanted)-issues$/.test(name) ||
  (kind === 'issues' &&
    (lookupNames.test(name) || (/^(is|has|no)$/.test(name) && raw.some((value) => lookupValues.test(value) || isField(value)))));

/** Checks the limits of document 1 on the length and the operators of a query, and the limits on the size of its statement. */
export function checkLimits(tokens: readonly Token[], grammar: { advanced: boolean }): void {
  const words = tokens.filter((token) => token.kind === 'word');
  const length = words.reduce((sum, word) => sum + [...word.text].length, Math.max(0, words.length - 1));
  if (length > text.value) {
    throw new QueryError('too_long', `The search is longer than ${text.value} characters, without operators and qualifiers.`);
  }
  if (tokens.filter((token) => token.kind === 'operator').length > operators.value) {
    throw new QueryError('too_many_operators', `More than ${operators.value} AND, OR or NOT operators were used.`);
  }
  const named = tokens.filter((token) => token.kind === 'qualifier');
  // Qualifiers that name repositories for the whole query become one list of names.
  if (named.filter(({ name }) => grammar.advanced || !scopes.has(name)).length > qualifiers.value) {
    throw new QueryError('too_many_qualifiers', `More than ${qualifiers.value} qualifiers were used.`);
  }
  if (named.reduce((sum, { raw }) => sum + new Set(raw).size, 0) > values.value) {
    throw new QueryError('too_many_values', `The qualifiers have more than ${values.value} values.`);
  }
}

/** Checks the number of subqueries of a query's statement. Repeated qualifiers were removed before. */
export function checkLookups(kind: SearchKind, query: Node): void {
  const lookupQualifiers = [...leaves(query)].filter((leaf) => leaf.kind === 'qualifier' && needsLookup(kind, leaf));
  if (lookupQualifiers.length > lookups.value)
    throw new QueryError(
      'too_many_lookups',
      `More than ${lookups.value} qualifiers about fields, statuses, links, relations, reviews, labelled issues or ` +
        'the repositories of users were used.',
    );
}
