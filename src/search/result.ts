import type { RawBuilder } from 'kysely';
import type { AcquireSlot } from '#database/time-budget.ts';
import type { Caller } from '#lib/caller.ts';
import type { ConcurrencyLimiter } from '#lib/concurrency-limiter.ts';
import type { Id } from '#lib/id.ts';
import { fixedValue } from '#lib/limits.ts';
import type { Page } from '#lib/page.ts';
import { Refusal, unprocessable } from '#lib/refusal.ts';
import { searchLimits } from './limits.ts';

/** Document 1, rule 4. */
export const maxResults = fixedValue(searchLimits.results);
export const maxRepositories = fixedValue(searchLimits.repositories);

/** The envelope of document 1. `incomplete_results`: the time budget ended before the search was complete. */
export type SearchResult<Item> = { total_count: number; incomplete_results: boolean; items: Item[] };

/** The time budget of a search in milliseconds, and a function that acquires a slot among concurrent searches. */
export type Budget = { left(): number; acquireSlot: AcquireSlot };

/** The caller, the page and the time budget of a search. */
export type SearchRequest = {
  /** The ids of the repositories that the caller may see: a subquery in parentheses with one column. */
  visible: RawBuilder<unknown>;
  /** The viewer, for `@me`. */
  viewerId?: Id<'accounts'>;
  page: Page;
  budget: Budget;
};

/** The part of a page within `maxResults`. @throws Refusal for a page beyond it */
export function withinResults(page: Page): { limit: number; offset: number } {
  if (page.offset >= maxResults) throw unprocessable(`Only the first ${maxResults} search results are available.`);
  return { offset: page.offset, limit: Math.min(page.limit, maxResults - page.offset) };
}

/** Starts a budget. With `share`, the search waits for a slot of the limiter. */
export function startBudget(milliseconds: number, share?: { searches: ConcurrencyLimiter; caller: Caller }): Budget {
  const end = performance.now() + milliseconds;
  return { left: () => Math.max(0, end - performance.now()), acquireSlot: share ? slotsOf(share) : async () => () => undefined };
}

/** The remaining budget, extended to at least this many milliseconds from now. */
export function atLeast(budget: Budget, milliseconds: number): Budget {
  const end = performance.now() + Math.max(budget.left(), milliseconds);
  return { ...budget, left: () => Math.max(0, end - performance.now()) };
}

const slotsOf =
  ({ searches, caller }: { searches: ConcurrencyLimiter; caller: Caller }): AcquireSlot =>
  (waitingTime) =>
    searches.acquire(caller, { waitingTime }).catch((error: unknown) => {
      if (error instanceof Refusal && error.kind === 'unavailable') return undefined;
      throw error;
    });
