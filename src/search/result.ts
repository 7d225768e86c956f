import type { RawBuilder } from 'kysely';
import type { Id } from '#lib/id.ts';
import type { Page } from '#lib/page.ts';
import { unprocessable } from '#lib/refusal.ts';

/** Document 1, rule 4. */
export const maxResults = 1_000;
export const maxRepositories = 4_000;

/** Document 1's envelope: `incomplete_results` says that the time was over before everything was looked at. */
export type SearchResult<Item> = { total_count: number; incomplete_results: boolean; items: Item[] };

/** Time that runs down while a search works, in milliseconds. */
export type Budget = { left(): number };

/** Who searches, which page of it, and for how long. */
export type Asked = {
  /** The ids of the repositories that the caller may see: a subquery in parentheses with one column. */
  visible: RawBuilder<unknown>;
  /** For `@me`. */
  viewerId?: Id<'accounts'>;
  page: Page;
  budget: Budget;
};

/** The part of a page that lies within the number of results that a search gives. */
export function withinResults(page: Page): { limit: number; offset: number } {
  if (page.offset >= maxResults) throw unprocessable(`Only the first ${maxResults} search results are available.`);
  return { offset: page.offset, limit: Math.min(page.limit, maxResults - page.offset) };
}

/** A budget that begins now. */
export function startBudget(milliseconds: number): Budget {
  const end = performance.now() + milliseconds;
  return { left: () => Math.max(0, end - performance.now()) };
}
