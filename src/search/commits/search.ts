import type { Db } from '#database/connect.ts';
import type { Term } from '#search/analyse/analyse.ts';
import { makeCheck } from '#search/check.ts';
import { both, either, type LexemeQuery, lexeme } from '#search/lexeme-query.ts';
import { lookThrough } from '#search/look-through.ts';
import { QueryError } from '#search/query/errors.ts';
import { filtersIn, type Split, split } from '#search/query/filters.ts';
import type { CommitSort } from '#search/query/sorts.ts';
import type { Node } from '#search/query/tree.ts';
import { type Reader, within } from '#search/read.ts';
import { atLeast, maxResults, type SearchRequest, type SearchResult, withinResults } from '#search/result.ts';
import { isNaming, isScopeFilter, resolveScope } from '#search/scope/scope.ts';
import { analyseTree, hasPhrase, lexemesFor, type Terms, wantedWords } from '#search/terms.ts';
import { combination, commitFilter, findEmails } from './filters.ts';
import * as hits from './hits.ts';
import { lexemeOf } from './lexemes.ts';

export type CommitSearch = SearchRequest & {
  /** From `parse('commits', q)`. */
  query: Node;
  sort?: CommitSort | undefined;
  order?: 'asc' | 'desc';
  /** The name of this server, which is part of addresses that stand for accounts. */
  host?: string;
};

type Look = { asked: CommitSearch; split: Split; terms: Terms | undefined };
type Slice = { limit: number; offset: number };
type Rows = { rows: hits.CommitRow[]; total: number; complete: boolean };

/**
 * Searches the commits of the default branches of the repositories that the caller may see (document 1, rule 3), under the
 * same rules as `searchCode`. Qualifiers alone are a valid query here.
 */
export async function searchCommits(db: Db, asked: CommitSearch): Promise<SearchResult<hits.CommitHit>> {
  const slice = withinResults(asked.page);
  const halves = split(asked.query);
  const terms = halves.terms && analyseTree(halves.terms);
  if (halves.terms && !terms && halves.filters.length + halves.rest.length === 0)
    throw new QueryError('no_term', 'A commit search needs a word or a qualifier.');
  const look: Look = { asked, split: halves, terms };
  const found = terms && hasPhrase(terms) ? await findChecked(db, look, terms, slice) : await findIndexed(db, look, slice);
  const items = found.rows.map(({ message: _, ...hit }) => hit);
  return { total_count: found.total, incomplete_results: !found.complete, items };
}

/** Milliseconds for the hits that are given when the budget is over. */
const lastResort = 100;

async function findIndexed(db: Db, look: Look, slice: Slice): Promise<Rows> {
  const ordered = await within(db, look.asked.budget, async (tx) => {
    const where = await selection(tx, look);
    if (!where) return { rows: [], total: 0 };
    const rows = await listOrdered(tx, where, look, slice);
    const isAll = slice.offset === 0 && rows.length < slice.limit;
    return { rows, total: isAll ? rows.length : await hits.countCommits(tx, where) };
  });
  if (ordered) return { ...ordered, complete: true };
  const rows = await within(db, atLeast(look.asked.budget, lastResort), async (tx) => {
    const where = await selection(tx, look);
    return where && hits.listAnyCommits(tx, where, slice.limit);
  });
  return { rows: rows ?? [], total: rows ? slice.offset + rows.length : 0, complete: false };
}

/** Best match: words in the subject line first. Without words, all match alike, and the latest come first. */
function listOrdered(tx: Reader, where: hits.Where, { asked, terms }: Look, slice: Slice): Promise<hits.CommitRow[]> {
  const { sort, order = 'desc' } = asked;
  const words = terms && !sort ? wantedWords(terms) : [];
  if (words.length === 0)
    return hits.listCommitsByDate(tx, where, { sort: sort ?? 'author-date', order: sort ? order : 'desc', ...slice });
  const subject = either(words.map(({ terms: some }) => both(some.map(inSubject))));
  return hits.listBestCommits(tx, where, subject, slice);
}

/** Which rows match; undefined when there is no repository to look into. */
async function selection(tx: Reader, { asked, split: { filters, rest }, terms }: Look) {
  const nested = rest.flatMap((part) => filtersIn(part, isNaming));
  const { ids } = await resolveScope(tx, { ...asked, filters, nested, forks: true });
  if (ids.length === 0) return undefined;
  const emails = await findEmails(tx, asked.query, asked);
  const own = commitFilter(
    filters.filter((filter) => !isScopeFilter(filter)),
    emails,
  );
  const lexemes = both([...(terms ? [lexemesFor(terms, inMessage)] : []), own.lexemes]);
  const condition =
    rest.length > 0 ? combination({ kind: 'all', parts: [...rest] }, { emails, viewerId: asked.viewerId }) : undefined;
  return hits.whereOf({ lexemes, condition: condition ? hits.and(own.condition, condition) : own.condition, repositories: ids });
}

const inMessage = (terms: readonly Term[]): LexemeQuery => both(terms.flatMap((term) => term.lexemes).map(lexeme));
const inSubject = (term: Term): LexemeQuery => both(term.lexemes.map((word) => lexeme(lexemeOf.subject(word))));

/** Candidates from the index, then a look at each message. */
async function findChecked(db: Db, look: Look, terms: Terms, slice: Slice): Promise<Rows> {
  const candidates = await findIndexed(db, look, { limit: maxResults, offset: 0 });
  const check = makeCheck(terms);
  const budget = atLeast(look.asked.budget, lastResort);
  const { matching, looked } = await lookThrough(candidates.rows, budget, ({ message }) => check([message]));
  return {
    rows: matching.slice(slice.offset, slice.offset + slice.limit),
    total: matching.length,
    complete: candidates.complete && looked >= candidates.total,
  };
}
