import { type RawBuilder, sql } from 'kysely';
import type { Viewer } from '#access/viewer.ts';
import { unauthenticated } from '#lib/refusal.ts';
import { seesField } from '#resources/issue-fields/index.ts';
import { hasQualifier, type Node, QueryError, type SearchType, type TypedResult } from '#search/index.ts';
import type { Vocabulary } from '#vocabulary/words.ts';

const kinds = ['issue', 'pr', 'pull-request'];

/** Document 1, rule 9: an app that acts for a user searches for issues and for pull requests apart. */
export function checkTarget(query: Node, { grant }: Viewer): void {
  if (grant.kind !== 'app_user') return;
  if (hasQualifier(query, 'is', kinds) || hasQualifier(query, 'type', kinds)) return;
  throw new QueryError('invalid_value', "Query must include 'is:issue' or 'is:pull-request'");
}

/** Which fields of issues, `f`, the viewer may search by. */
export const searchableFields = (viewer: Viewer): RawBuilder<boolean> => seesField(viewer, sql`f`);

/** Document 1, rule 8: what costs a vector is for those who sign in. */
export function checkSignedIn(type: SearchType, { grant }: Viewer): void {
  if (type !== 'lexical' && grant.kind === 'none') throw unauthenticated();
}

/** Searches by meaning have a rate limit of their own (document 1, Limits). */
export const limitOf = ({ search_type }: Readonly<Record<string, unknown>>) =>
  search_type === 'semantic' || search_type === 'hybrid' ? 'semantic_search' : 'search';

/**
 * What a reply tells of how it was made. The documents name the type of a search where it isn't the usual one; the public API
 * always does, and says why words alone had to answer.
 */
export const tellType = (vocabulary: Vocabulary, { type, fallback }: Pick<TypedResult, 'type' | 'fallback'>) => ({
  ...(type === 'lexical' && vocabulary === 'service' ? {} : { search_type: type }),
  ...(fallback ? { lexical_fallback_reason: [fallback] } : {}),
});
