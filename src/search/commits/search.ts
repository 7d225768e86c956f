import type { Db } from '#database/connect.ts';
import type { Term } from '#search/analyse/analyse.ts';
import { makeCheck } from '#search/check.ts';
import { both, either, type LexemeQuery, lexeme } from '#search/lexeme-query.ts';
import { filterWithinBudget } from '#search/look-through.ts';
import { QueryError } from '#search/query/errors.ts';
import { filtersIn, type Split, split } from '#search/query/filters.ts';
import type { CommitSort } from '#search/query/sorts.ts';
import type { Node } from '#search/query/tree.ts';
import { planForWords, type Reader, runWithinBudget } from '#search/read.ts';
import { atLeast, maxResults, type SearchRequest, type SearchResult, withinResults } from '#search/result.ts';
import { isNaming, isScopeFilter, resolveScope } from '#search/scope/scope.ts';
import { analyseTree, hasPhrase, includedWords, lexemesFor, type Terms } from '#search/terms.ts';
import { combination, commitFilter, findEmails } from './filters.ts';
import * as hits from './hits.ts';
import { lexemeOf } from './lexemes.ts';

type CommitSearch = SearchRequest & {
  /** The result of `parse('commits', q)`. */
  query: Node;
  sort?: CommitSort | undefined;
  order?: 'asc' | 'desc';
  /** The host name of this server, which is part of noreply addresses. */
  host?: string;
};

type SearchContext = { request: CommitSearch; split: Split; terms: Terms | undefined };
type Slice = { limit: number; offset: number };
type Rows = { rows: hits.CommitRow[]; total: number; complete: boolean };

/**
 * Searches the commits of the default branches of the repositories that the caller may see (document 1, rule 3), with the same
 * rules as `searchCode`. A query may consist of qualifiers only.
 */
export async function searchCommits(db: Db, request: CommitSearch): Promise<SearchResult<hits.CommitHit>> {
  const slice = withinResults(request.page);
  const parts = split(request.query);
  const terms = parts.terms && analyseTree(parts.terms);
  if (parts.terms && !terms && parts.filters.length + parts.rest.length === 0)
    throw new QueryError('no_term', 'A commit search needs a word or a qualifier.');
  const context: SearchContext = { request, split: parts, terms };
  const found = terms && hasPhrase(terms) ? await findChecked(db, context, terms, slice) : await findIndexed(db, context, slice);
  const items = found.rows.map(({ message: _, ...hit }) => hit);
  return { total_count: found.total, incomplete_results: !found.complete, items };
}

/** Milliseconds for finding any hits after the budget has ended. */
const fallbackMs = 100;

async function findIndexed(db: Db, context: SearchContext, slice: Slice): Promise<Rows> {
  const ordered = await runWithinBudget(db, context.request.budget, async (tx) => {
    const selected = await select(tx, context);
    if (!selected) return { rows: [], total: 0, complete: true };
    const { where, isPartial } = selected;
    const rows = await listOrdered(tx, where, context, slice);
    const isAll = slice.offset === 0 && rows.length < slice.limit;
    return { rows, total: isAll ? rows.length : await hits.countCommits(tx, where), complete: !isPartial };
  });
  if (ordered) return ordered;
  const rows = await runWithinBudget(db, atLeast(context.request.budget, fallbackMs), async (tx) => {
    const selected = await select(tx, context);
    return selected && hits.listAnyCommits(tx, selected.where, slice.limit);
  });
  return { rows: rows ?? [], total: rows ? slice.offset + rows.length : 0, complete: false };
}

/**
 * The hits in the requested order. By default, hits with words in the subject line come first. Without words all hits have the
 * same rank, so the latest come first.
 */
function listOrdered(tx: Reader, where: hits.Where, { request, terms }: SearchContext, slice: Slice): Promise<hits.CommitRow[]> {
  const { sort, order = 'desc' } = request;
  const words = terms && !sort ? includedWords(terms) : [];
  if (words.length === 0)
    return hits.listCommitsByDate(tx, where, { sort: sort ?? 'author-date', order: sort ? order : 'desc', ...slice });
  const subject = either(words.map(({ terms: group }) => both(group.map(inSubject))));
  return hits.listBestCommits(tx, where, subject, slice);
}

/** The condition of the search; undefined if it covers no repositories. */
async function select(tx: Reader, { request, split: { filters, rest }, terms }: SearchContext) {
  const nested = rest.flatMap((part) => filtersIn(part, isNaming));
  const { ids, isPartial } = await resolveScope(tx, { ...request, filters, nested, forks: true });
  if (ids.length === 0) return undefined;
  planForWords();
  const emails = await findEmails(tx, request.query, request);
  const own = commitFilter(
    filters.filter((filter) => !isScopeFilter(filter)),
    emails,
  );
  const lexemes = both([...(terms ? [lexemesFor(terms, inMessage)] : []), own.lexemes]);
  const condition =
    rest.length > 0 ? combination({ kind: 'all', parts: [...rest] }, { emails, viewerId: request.viewerId }) : undefined;
  const all = condition ? hits.and(own.condition, condition) : own.condition;
  return { where: hits.whereOf({ lexemes, condition: all, repositories: ids }), isPartial };
}

const inMessage = (terms: readonly Term[]): LexemeQuery => both(terms.flatMap((term) => term.lexemes).map(lexeme));
const inSubject = (term: Term): LexemeQuery => both(term.lexemes.map((word) => lexeme(lexemeOf.subject(word))));

/** Checks the messages of candidates from the index until the budget ends. */
async function findChecked(db: Db, context: SearchContext, terms: Terms, slice: Slice): Promise<Rows> {
  const candidates = await findIndexed(db, context, { limit: maxResults, offset: 0 });
  const check = makeCheck(terms);
  const budget = atLeast(context.request.budget, fallbackMs);
  const { matching, checked } = await filterWithinBudget(candidates.rows, budget, ({ message }) => check([message]));
  return {
    rows: matching.slice(slice.offset, slice.offset + slice.limit),
    total: matching.length,
    complete: candidates.complete && checked >= candidates.total,
  };
}
