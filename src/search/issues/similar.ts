import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import { type Embeddings, EmbeddingsUnavailable, fuse, type Near } from '#search/embeddings/index.ts';
import { hasQualifier, leaves, type Node } from '#search/query/tree.ts';
import { within } from '#search/read.ts';
import { atLeast, type Budget, maxResults, type SearchResult, withinResults } from '#search/result.ts';
import { analyseTree } from '#search/terms.ts';
import { compile, isPhrase } from './compile.ts';
import * as hits from './hits.ts';
import { allOf, wholly } from './matching.ts';
import { findIndexed, type IssueSearch, type Look, lookFor, searchIssues, select } from './search.ts';

/** How an issue search may be answered (document 1). */
export const searchTypes = ['lexical', 'semantic', 'hybrid'] as const;
export type SearchType = (typeof searchTypes)[number];

/** Why a search was answered by its words alone, in the public API's terms. */
export type Fallback =
  | 'no_text_terms'
  | 'quoted_text'
  | 'non_issue_target'
  | 'or_boolean_not_supported'
  | 'no_accessible_repos'
  | 'only_non_semantic_fields_requested'
  | 'service_unavailable';

export type TypedResult = SearchResult<hits.IssueHit> & { type: SearchType; fallback?: Fallback };

export type TypedSearch = IssueSearch & { type: SearchType; embeddings: Embeddings | undefined };

/**
 * What is less like a query than this is hardly about the same: of pairs of queries and issues that mean the like, nine in ten
 * are nearer by the builtin table, and of others one in ten.
 */
const leastSimilarity = 0.15;
/** The number of issues that are found by their meaning. */
const depth = 200;

/**
 * Searches issues by their words, by what they mean, or by both (document 1, `search_type`). What only words can answer, and
 * what nobody can embed just now, is answered by words, and the reply says so and why.
 */
export async function searchIssuesAs(db: Db, { type, embeddings, ...asked }: TypedSearch): Promise<TypedResult> {
  const lexically = async (fallback?: Fallback): Promise<TypedResult> => ({
    ...(await searchIssues(db, asked)),
    type: 'lexical',
    ...(fallback ? { fallback } : {}),
  });
  if (type === 'lexical') return lexically();
  // The order is that of likeness: sorts are for words.
  const look = lookFor({ ...asked, sort: undefined });
  const reason = reasonAgainst(asked.query, look);
  if (reason) return lexically(reason);
  const vector = embeddings && (await vectorOf(embeddings, asked.query, look.asked.budget));
  if (!embeddings || !vector) return lexically('service_unavailable');
  const near = await findNear(db, look, { embeddings, vector });
  if (near === 'nowhere') return lexically('no_accessible_repos');
  return type === 'semantic' ? bySimilarity(near, asked) : byBoth(db, look, near);
}

/** Why a query can't be answered by its meaning. */
function reasonAgainst(query: Node, { places }: Look): Fallback | undefined {
  if (!analyseTree(query) || spoken(query) === '') return 'no_text_terms';
  if ([...leaves(query)].some((leaf) => leaf.kind === 'text' && isPhrase(leaf))) return 'quoted_text';
  const pulls = ['pr', 'pull-request'];
  if (hasQualifier(query, 'is', pulls) || hasQualifier(query, 'type', pulls)) return 'non_issue_target';
  if (hasAlternatives(query)) return 'or_boolean_not_supported';
  return places.includes('title') || places.includes('body') ? undefined : 'only_non_semantic_fields_requested';
}

/** Whether words stand among alternatives. */
function hasAlternatives(node: Node): boolean {
  if (node.kind === 'any') return [...leaves(node)].some(({ kind }) => kind === 'text');
  if (node.kind === 'not') return hasAlternatives(node.part);
  return node.kind === 'all' && node.parts.some(hasAlternatives);
}

/** The words of a query as a text for the embedder. */
function spoken(node: Node): string {
  if (node.kind === 'text') return node.text;
  if (node.kind === 'qualifier' || node.kind === 'not') return '';
  return node.parts
    .map(spoken)
    .filter((text) => text !== '')
    .join(' ');
}

/** Half of the time is left for the search itself. */
async function vectorOf(embeddings: Embeddings, query: Node, budget: Budget): Promise<Float32Array | undefined> {
  const { promise: over, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), budget.left() / 2);
  try {
    return await Promise.race([embeddings.embedQuery(spoken(query)), over]);
  } catch (error) {
    if (error instanceof EmbeddingsUnavailable) return undefined;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

type Asking = { embeddings: Embeddings; vector: Float32Array };
type Neighbours = { near: (Near & { repositoryId: Id<'repositories'> })[]; complete: boolean };

/** The nearest issues, among those that match everything but the words that are looked for. */
async function findNear(db: Db, look: Look, { embeddings, vector }: Asking): Promise<Neighbours | 'nowhere'> {
  const found = await within(db, look.asked.budget, async (tx) => {
    const selected = await select(tx, look);
    if (!selected) return 'nowhere' as const;
    const { ids: repositories, meaning } = selected;
    const others = look.plan.required.filter((part) => spoken(part) === '').map((part) => compile(part, meaning));
    const matching = others.filter((part) => part !== undefined);
    const condition = matching.length > 0 ? { condition: wholly(allOf(matching)) } : {};
    const near = await embeddings.nearest(tx, { vector, repositories, limit: depth, ...condition });
    const alike = near.filter(({ score }) => score >= leastSimilarity);
    const places = await hits.findRepositories(
      tx,
      alike.map(({ issueId }) => issueId),
      repositories,
    );
    return alike.flatMap((one) => {
      const repositoryId = places.get(one.issueId);
      return repositoryId === undefined ? [] : [{ ...one, repositoryId }];
    });
  });
  if (found === 'nowhere') return found;
  return { near: found ?? [], complete: found !== undefined };
}

function bySimilarity({ near, complete }: Neighbours, { page }: IssueSearch): TypedResult {
  const { offset, limit } = withinResults(page);
  const items = near
    .slice(offset, offset + limit)
    .map(({ issueId, repositoryId, score }) => ({ id: issueId, repositoryId, score }));
  return { items, total_count: near.length, incomplete_results: !complete, type: 'semantic' };
}

/** Reciprocal rank fusion of what the words find and what the meaning finds; what both find is counted once. */
async function byBoth(db: Db, look: Look, { near, complete }: Neighbours): Promise<TypedResult> {
  const { offset, limit } = withinResults(look.asked.page);
  const lexical = await findIndexed(db, look, { limit: maxResults, offset: 0 });
  const repositories = new Map<number, Id<'repositories'>>([
    ...near.map(({ issueId, repositoryId }) => [issueId, repositoryId] as const),
    ...lexical.rows.map(({ id, repositoryId }) => [id, repositoryId] as const),
  ]);
  const fused = fuse(
    lexical.rows.map(({ id }) => id),
    near.map(({ issueId }) => issueId),
  );
  const more = near.map(({ issueId }) => issueId).filter((id) => !lexical.rows.some((row) => row.id === id));
  // Beyond the thousand best by words, the index tells which of the others have them too.
  const known = lexical.total > lexical.rows.length ? await countMatching(db, look, more) : 0;
  return {
    items: fused.slice(offset, offset + limit).flatMap(({ issueId, score }) => {
      const repositoryId = repositories.get(issueId);
      return repositoryId === undefined ? [] : [{ id: issueId, repositoryId, score }];
    }),
    total_count: lexical.total + more.length - known,
    incomplete_results: !complete || !lexical.complete,
    type: 'hybrid',
  };
}

const lastResort = 100;

const countMatching = async (db: Db, look: Look, ids: readonly Id<'issues'>[]): Promise<number> =>
  (await within(db, atLeast(look.asked.budget, lastResort), async (tx) => {
    const selected = ids.length > 0 ? await select(tx, look) : undefined;
    const among: RawBuilder<unknown> = sql`issue_id = any(${ids}::bigint[])`;
    return selected ? hits.countHits(tx, (more) => sql`(${among} and ${selected.where(more)})`) : 0;
  })) ?? 0;
