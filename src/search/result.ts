import type { RawBuilder } from 'kysely';
import type { TakePlace } from '#database/time-budget.ts';
import type { Caller } from '#lib/caller.ts';
import type { ConcurrencyLimiter } from '#lib/concurrency-limiter.ts';
import type { Id } from '#lib/id.ts';
import { fixedValue, limitTable } from '#lib/limits.ts';
import type { Page } from '#lib/page.ts';
import { Refusal, unprocessable } from '#lib/refusal.ts';

/** Document 1, rule 4. */
export const maxResults = fixedValue(limitTable.search.results);
export const maxRepositories = fixedValue(limitTable.search.repositories);

/** Document 1's envelope: `incomplete_results` says that the time was over before everything was looked at. */
export type SearchResult<Item> = { total_count: number; incomplete_results: boolean; items: Item[] };

/** Time that runs down while a search works, in milliseconds, and its places among the searches that use the database. */
export type Budget = { left(): number; takePlace: TakePlace };

/** Who searches, which page of it, and for how long. */
export type SearchRequest = {
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

/** A budget that begins now, for a search that waits for its turn among those of other callers. */
export function startBudget(milliseconds: number, share?: { searches: ConcurrencyLimiter; caller: Caller }): Budget {
  const end = performance.now() + milliseconds;
  return { left: () => Math.max(0, end - performance.now()), takePlace: share ? placesIn(share) : async () => () => undefined };
}

/** What is left of a budget, and at least so many milliseconds from now. */
export function atLeast(budget: Budget, milliseconds: number): Budget {
  const end = performance.now() + Math.max(budget.left(), milliseconds);
  return { ...budget, left: () => Math.max(0, end - performance.now()) };
}

const placesIn =
  ({ searches, caller }: { searches: ConcurrencyLimiter; caller: Caller }): TakePlace =>
  (waitingTime) =>
    searches.acquire(caller, { waitingTime }).catch((error: unknown) => {
      if (error instanceof Refusal && error.kind === 'unavailable') return undefined;
      throw error;
    });
