import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import { type Embeddings, EmbeddingsUnavailable, fuse, type Neighbour } from '#search/embeddings/index.ts';
import { hasQualifier, leaves, type Node } from '#search/query/tree.ts';
import { planForWords, runWithinBudget } from '#search/read.ts';
import { atLeast, type Budget, maxResults, type SearchResult, withinResults } from '#search/result.ts';
import { analyseTree } from '#search/terms.ts';
import { compile, isPhrase } from './compile.ts';
import * as hits from './hits.ts';
import { allOf, asCondition } from './matching.ts';
import { findIndexed, type IssueSearch, prepareSearch, type SearchContext, searchIssues, select } from './search.ts';

/** The types of issue search (document 1). */
export const searchTypes = ['lexical', 'semantic', 'hybrid'] as const;
export type SearchType = (typeof searchTypes)[number];

/** Why a semantic or hybrid search became a lexical one, in the public API's terms. */
type Fallback =
  | 'no_text_terms'
  | 'quoted_text'
  | 'non_issue_target'
  | 'or_boolean_not_supported'
  | 'no_accessible_repos'
  | 'only_non_semantic_fields_requested'
  | 'service_unavailable';

export type TypedResult = SearchResult<hits.IssueHit> & { type: SearchType; fallback?: Fallback };

type TypedSearch = IssueSearch & { type: SearchType; embeddings: Embeddings | undefined };

/**
 * Issues below this similarity are dropped. With the builtin table, nine in ten relevant pairs of a query and an issue are above
 * it, and one in ten of the others.
 */
const minSimilarity = 0.15;
/** The number of nearest issues that a search considers. */
const maxNeighbours = 200;

/**
 * Searches issues by words, by embeddings or by both (document 1, `search_type`). If embeddings can't answer a query, or the
 * embedder is unavailable, words are used instead, and `fallback` has the reason.
 */
export async function searchIssuesAs(db: Db, { type, embeddings, ...request }: TypedSearch): Promise<TypedResult> {
  const searchLexically = async (fallback?: Fallback): Promise<TypedResult> => ({
    ...(await searchIssues(db, request)),
    type: 'lexical',
    ...(fallback ? { fallback } : {}),
  });
  if (type === 'lexical') return searchLexically();
  // Semantic results are ordered by similarity, so sorts don't apply.
  const context = prepareSearch({ ...request, sort: undefined });
  const reason = fallbackReason(request.query, context);
  if (reason) return searchLexically(reason);
  const vector = embeddings && (await vectorOf(embeddings, request.query, context.request.budget));
  if (!embeddings || !vector) return searchLexically('service_unavailable');
  const neighbours = await findNear(db, context, { embeddings, vector });
  if (neighbours === 'nowhere') return searchLexically('no_accessible_repos');
  return type === 'semantic' ? bySimilarity(neighbours, request) : byBoth(db, context, neighbours);
}

/** Why embeddings can't answer a query; undefined if they can. */
function fallbackReason(query: Node, { searchedFields }: SearchContext): Fallback | undefined {
  if (!analyseTree(query) || textOfQuery(query) === '') return 'no_text_terms';
  if ([...leaves(query)].some((leaf) => leaf.kind === 'text' && isPhrase(leaf))) return 'quoted_text';
  const pulls = ['pr', 'pull-request'];
  if (hasQualifier(query, 'is', pulls) || hasQualifier(query, 'type', pulls)) return 'non_issue_target';
  if (hasAlternatives(query)) return 'or_boolean_not_supported';
  return searchedFields.includes('title') || searchedFields.includes('body') ? undefined : 'only_non_semantic_fields_requested';
}

/** Whether there are words inside alternatives. */
function hasAlternatives(node: Node): boolean {
  if (node.kind === 'any') return [...leaves(node)].some(({ kind }) => kind === 'text');
  if (node.kind === 'not') return hasAlternatives(node.part);
  return node.kind === 'all' && node.parts.some(hasAlternatives);
}

/** The words of a query as a text for the embedder. */
function textOfQuery(node: Node): string {
  if (node.kind === 'text') return node.text;
  if (node.kind === 'qualifier' || node.kind === 'not') return '';
  return node.parts
    .map(textOfQuery)
    .filter((text) => text !== '')
    .join(' ');
}

/** Embeds the query within half of the budget; undefined if that takes too long or the embedder is unavailable. */
async function vectorOf(embeddings: Embeddings, query: Node, budget: Budget): Promise<Float32Array | undefined> {
  const { promise: timeout, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), budget.left() / 2);
  try {
    return await Promise.race([embeddings.embedQuery(textOfQuery(query)), timeout]);
  } catch (error) {
    if (error instanceof EmbeddingsUnavailable) return undefined;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

type VectorQuery = { embeddings: Embeddings; vector: Float32Array };
type Neighbours = { neighbours: (Neighbour & { repositoryId: Id<'repositories'> })[]; complete: boolean };

/** The nearest issues among the issues that match all conditions except the words. */
async function findNear(db: Db, context: SearchContext, { embeddings, vector }: VectorQuery): Promise<Neighbours | 'nowhere'> {
  const found = await runWithinBudget(db, context.request.budget, async (tx) => {
    const selected = await select(tx, context);
    if (!selected) return 'nowhere' as const;
    const { ids: repositories, queryContext, isPartial, readable } = selected;
    planForWords();
    const others = context.plan.required.filter((part) => textOfQuery(part) === '').map((part) => compile(part, queryContext));
    const matching = [...others.filter((part) => part !== undefined), ...readable];
    const condition = matching.length > 0 ? { condition: asCondition(allOf(matching)) } : {};
    const neighbours = await embeddings.nearest(tx, { vector, repositories, limit: maxNeighbours, ...condition });
    const similar = neighbours.filter(({ score }) => score >= minSimilarity);
    const searchedFields = await hits.findRepositories(
      tx,
      similar.map(({ issueId }) => issueId),
      repositories,
    );
    const inRepositories = similar.flatMap((one) => {
      const repositoryId = searchedFields.get(one.issueId);
      return repositoryId === undefined ? [] : [{ ...one, repositoryId }];
    });
    return { neighbours: inRepositories, complete: !isPartial };
  });
  return found ?? { neighbours: [], complete: false };
}

function bySimilarity({ neighbours, complete }: Neighbours, { page }: IssueSearch): TypedResult {
  const { offset, limit } = withinResults(page);
  const items = neighbours
    .slice(offset, offset + limit)
    .map(({ issueId, repositoryId, score }) => ({ id: issueId, repositoryId, score }));
  return { items, total_count: neighbours.length, incomplete_results: !complete, type: 'semantic' };
}

/** Combines lexical and semantic results with reciprocal rank fusion. */
async function byBoth(db: Db, context: SearchContext, { neighbours, complete }: Neighbours): Promise<TypedResult> {
  const { offset, limit } = withinResults(context.request.page);
  const lexical = await findIndexed(db, context, { limit: maxResults, offset: 0 });
  const repositories = new Map<number, Id<'repositories'>>([
    ...neighbours.map(({ issueId, repositoryId }) => [issueId, repositoryId] as const),
    ...lexical.rows.map(({ id, repositoryId }) => [id, repositoryId] as const),
  ]);
  const fused = fuse(
    lexical.rows.map(({ id }) => id),
    neighbours.map(({ issueId }) => issueId),
  );
  const additional = neighbours.map(({ issueId }) => issueId).filter((id) => !lexical.rows.some((row) => row.id === id));
  // If there are more lexical hits than listed, counts the neighbours that are also lexical hits.
  const counted = lexical.total > lexical.rows.length ? await countMatching(db, context, additional) : 0;
  return {
    items: fused.slice(offset, offset + limit).flatMap(({ issueId, score }) => {
      const repositoryId = repositories.get(issueId);
      return repositoryId === undefined ? [] : [{ id: issueId, repositoryId, score }];
    }),
    total_count: lexical.total + additional.length - counted,
    incomplete_results: !complete || !lexical.complete,
    type: 'hybrid',
  };
}

const fallbackMs = 100;

const countMatching = async (db: Db, context: SearchContext, ids: readonly Id<'issues'>[]): Promise<number> =>
  (await runWithinBudget(db, atLeast(context.request.budget, fallbackMs), async (tx) => {
    const selected = ids.length > 0 ? await select(tx, context) : undefined;
    const among: RawBuilder<unknown> = sql`issue_id = any(${ids}::bigint[])`;
    return selected ? hits.countHits(tx, (additional) => sql`(${among} and ${selected.where(additional)})`) : 0;
  })) ?? 0;
