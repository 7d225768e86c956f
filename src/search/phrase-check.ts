import { makeCheck } from './check.ts';
import { filterWithinBudget } from './look-through.ts';
import { type Budget, maxResults, type SearchResult } from './result.ts';
import type { Terms } from './terms.ts';

export type Slice = { limit: number; offset: number };

type PhraseCheck<Row> = {
  terms: Terms;
  budget: Budget;
  slice: Slice;
  /** Finds candidates in the index. */
  find(slice: Slice): Promise<SearchResult<Row>>;
  /** The texts to search for the terms. */
  textsOf(row: Row): string[];
};

/** Checks the texts of candidates until the budget ends, since an index of lexemes can't match phrases. */
export async function findPhrases<Row>({ terms, budget, slice, find, textsOf }: PhraseCheck<Row>): Promise<SearchResult<Row>> {
  const { items, incomplete_results, total_count } = await find({ limit: maxResults, offset: 0 });
  const check = makeCheck(terms);
  const { matching, checked } = await filterWithinBudget(items, budget, (row) => check(textsOf(row)));
  return {
    items: matching.slice(slice.offset, slice.offset + slice.limit),
    total_count: matching.length,
    incomplete_results: incomplete_results || checked < total_count,
  };
}
