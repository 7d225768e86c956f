import { type RawBuilder, sql } from 'kysely';
import { mayReadIn, readableBy, teamVisibleTo } from '#access/sql.ts';
import type { Viewer } from '#access/viewer.ts';
import { unauthenticated } from '#lib/refusal.ts';
import { seesField } from '#resources/collaboration/issue-fields/index.ts';
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

/** Document 1, rule 9: an app's token that acts for a user must search for either issues or pull requests, not for both. */
export function checkTarget(query: Node, { grant }: Viewer): void {
  if (grant.kind !== 'app_user') return;
  if (hasQualifier(query, 'is', kinds) || hasQualifier(query, 'type', kinds)) return;
  throw new QueryError('invalid_value', "Query must include 'is:issue' or 'is:pull-request'");
}

type Order<Sort> = { sort?: Sort | undefined; order: 'asc' | 'desc' };

/** A query without `sort:`, and the order of its hits: from the parameters, or else from the query's `sort:`. */
export function sorted<Sort extends string>(
  parsed: Node,
  { sort, order }: Order<Sort>,
  sorts: readonly Sort[],
): Order<Sort> & { query: Node } {
  const { query, ...named } = takeSort(parsed, sorts);
  return { query, order, ...named, ...(sort ? { sort, order } : {}) };
}

/** Document 1, rule 2: a query needs a term besides qualifiers. The public API also accepts a file name as the term. */
export const codeQuery = (vocabulary: Vocabulary, query: Node): Node => (vocabulary === 'service' ? query : withFileNames(query));

/**
 * What a search of issues and pull requests may show: the repositories with readable issues or pull requests, and the conditions
 * on issues, pull requests, commit statuses and checks in the repository `r`.
 */
export function issueReads(viewer: Viewer) {
  const reads = {
    issues: mayReadIn(viewer, 'issues'),
    pulls: mayReadIn(viewer, 'pull_requests'),
    statuses: mayReadIn(viewer, 'statuses'),
    checks: mayReadIn(viewer, 'checks'),
  };
  return {
    reads,
    visible: sql`(select r.id from repositories r where ${readableBy(viewer)} and (${reads.issues} or ${reads.pulls}))`,
  };
}

/** Whether the viewer may search by the field in the row `f`. */
export const searchableFields = (viewer: Viewer): RawBuilder<boolean> => seesField(viewer, sql`f`);

/** Whether the viewer may search by review requests of the team in the row `t`. */
export const searchableTeams = (viewer: Viewer): RawBuilder<boolean> => teamVisibleTo(viewer, 't');

/** Document 1, rule 8: semantic searches need a credential, since computing a vector is expensive. */
export function checkSignedIn(type: SearchType, { grant }: Viewer): void {
  if (type !== 'lexical' && grant.kind === 'none') throw unauthenticated();
}

/** Semantic searches have a rate limit of their own (document 1, Limits). */
export const limitOf = ({ search_type }: Readonly<Record<string, unknown>>) =>
  search_type === 'semantic' || search_type === 'hybrid' ? 'semantic_search' : 'search';

/**
 * The fields of a reply that say how the search was answered. In document 1, the type is present unless it is lexical. The public
 * API always has it, and also the reason why a semantic search fell back to a lexical one.
 */
export const searchTypeFields = (vocabulary: Vocabulary, { type, fallback }: Pick<TypedResult, 'type' | 'fallback'>) => ({
  ...(type === 'lexical' && vocabulary === 'service' ? {} : { search_type: type }),
  ...(fallback ? { lexical_fallback_reason: [fallback] } : {}),
});
