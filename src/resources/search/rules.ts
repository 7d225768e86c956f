import { type RawBuilder, sql } from 'kysely';
import type { Viewer } from '#access/viewer.ts';
import { unauthenticated } from '#lib/refusal.ts';
import { seesField } from '#resources/issue-fields/index.ts';
import {
  hasQualifier,
  type Node,
  QueryError,
  type SearchType,
  type TypedResult,
  takeSort,
  withFileNames,
} from '#search/index.ts';
import type { Vocabulary } from '#vocabulary/words.ts';

const kinds = ['issue', 'pr', 'pull-request'];

/** Document 1, rule 9: a token of an app that acts for a user must ask for issues or for pull requests, not for both at once. */
export function checkTarget(query: Node, { grant }: Viewer): void {
  if (grant.kind !== 'app_user') return;
  if (hasQualifier(query, 'is', kinds) || hasQualifier(query, 'type', kinds)) return;
  throw new QueryError('invalid_value', "Query must include 'is:issue' or 'is:pull-request'");
}

type Order<Sort> = { sort?: Sort | undefined; order: 'asc' | 'desc' };

/** A query without `sort:`, and the order of its hits: that of the parameters, or else the one that stood in the query. */
export function sorted<Sort extends string>(
  asked: Node,
  { sort, order }: Order<Sort>,
  sorts: readonly Sort[],
): Order<Sort> & { query: Node } {
  const { query, ...named } = takeSort(asked, sorts);
  return { query, order, ...named, ...(sort ? { sort, order } : {}) };
}

/** Document 1, rule 2 demands a term besides qualifiers. To the public API, the name of a file is one. */
export const codeQuery = (vocabulary: Vocabulary, query: Node): Node => (vocabulary === 'service' ? query : withFileNames(query));

/** Whether the viewer may search by the field in the row `f`. */
export const searchableFields = (viewer: Viewer): RawBuilder<boolean> => seesField(viewer, sql`f`);

/** Document 1, rule 8: searches by meaning need a credential, since they cost the making of a vector. */
export function checkSignedIn(type: SearchType, { grant }: Viewer): void {
  if (type !== 'lexical' && grant.kind === 'none') throw unauthenticated();
}

/** Searches by meaning have a rate limit of their own (document 1, Limits). */
export const limitOf = ({ search_type }: Readonly<Record<string, unknown>>) =>
  search_type === 'semantic' || search_type === 'hybrid' ? 'semantic_search' : 'search';

/**
 * The fields of a reply that say how the search was answered. By document 1, the type is there where it isn't the usual one. The
 * public API always has it, and the reason where words had to answer for meaning.
 */
export const detectType = (vocabulary: Vocabulary, { type, fallback }: Pick<TypedResult, 'type' | 'fallback'>) => ({
  ...(type === 'lexical' && vocabulary === 'service' ? {} : { search_type: type }),
  ...(fallback ? { lexical_fallback_reason: [fallback] } : {}),
});
