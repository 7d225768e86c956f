import { type TProperties, Type } from 'typebox';
import { pages } from '#endpoint/paging.ts';
import type { Scope } from '#endpoint/scope.ts';
import type { Services } from '#endpoint/services.ts';
import type { Caller } from '#lib/caller.ts';
import type { Media } from '#lib/media.ts';
import type { Listed } from '#lib/page.ts';
import { Demanded, OneOf, withDefault } from '#lib/shape.ts';
import { type Budget, maxResults, type SearchResult, startBudget, type TextMatch } from '#search/index.ts';

/** The common parts of all searches' declarations. */
export const search = { method: 'GET', paging: pages({ most: maxResults }), media: ['text-match'] } as const;

/** Parameters of a search: its own, and the common ones (document 1, Endpoints). */
export const parameters = <P extends TProperties>(own: P) =>
  Type.Object(
    { q: Demanded(Type.String({ maxLength: 20_000 })), order: withDefault(OneOf(['desc', 'asc']), 'desc'), ...own },
    { title: 'Search' },
  );

/** A hit, with its text matches if they were requested. */
export type Matched<Hit, Match = TextMatch> = { hit: Hit; matches: readonly Match[] | undefined };

type Call = Scope & { now: Date; media: Media; services: Services; caller: Caller };

type Search<Hit, Match, Result extends SearchResult<Hit>, Item> = {
  find(budget: Budget): Promise<Result>;
  /** The text matches of each hit of a page, in the order of the hits. If the time budget runs out, the last hits have none. */
  match(hits: readonly Hit[], budget: Budget): Match[][] | Promise<Match[][]>;
  present(context: Call, found: readonly Matched<Hit, Match>[]): Promise<Item[]>;
  /** Further fields of the envelope. */
  extraFields?(result: Result): Record<string, unknown>;
};

/** Searches, and finds text matches if they were requested, within one time budget (document 1, rules 7 and 11). */
export async function answerSearch<Hit, Match, Result extends SearchResult<Hit>, Item>(
  call: Call,
  { find, match, present, extraFields }: Search<Hit, Match, Result, Item>,
): Promise<Listed<Item> & { extra: Record<string, unknown> }> {
  const { services, caller } = call;
  const budget = startBudget(services.searchBudget, { searches: services.searchLimiter, caller });
  const result = await find(budget);
  const { items: hits, total_count: total, incomplete_results } = result;
  const matches = call.media === 'text-match' ? await match(hits, budget) : undefined;
  const isComplete = !incomplete_results && (matches === undefined || matches.length === hits.length);
  const rows = await present(
    call,
    hits.map((hit, index) => ({ hit, matches: matches && (matches[index] ?? []) })),
  );
  return { rows, total, extra: { incomplete_results: !isComplete, ...extraFields?.(result) } };
}
