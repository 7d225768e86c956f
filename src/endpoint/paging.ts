import { type TArray, type TInteger, type TObject, type TSchema, Type } from 'typebox';
import type { Listed, Neighbours, Page } from '#lib/page.ts';
import { badRequest } from '#lib/refusal.ts';

export type Paging = {
  /** `inside`: the reply is one object, and a list in it is paged. `since`: a page begins after the id that the query names. `around`: it lies before or after a cursor. */
  readonly style: 'pages' | 'cursors' | 'inside' | 'since' | 'after' | 'around';
  readonly defaultLimit: number;
  readonly maxLimit: number;
  /** The number of rows that paging can reach, even when there are more. */
  readonly most?: number;
};

type Bounds = { defaultLimit?: number; maxLimit?: number; most?: number };

/** Document 1: `per_page` 30 by default, 100 at most, and `page` from 1. */
export const pages = (options: Bounds = {}): Paging & { readonly style: 'pages' } => ({
  style: 'pages',
  defaultLimit: options.defaultLimit ?? 30,
  maxLimit: options.maxLimit ?? 100,
  ...(options.most === undefined ? {} : { most: options.most }),
});

/** Cursor paging, for lists that grow while they are read: `per_page`, and a `cursor` from the `Link` header. */
export const cursors = (): Paging & { readonly style: 'cursors' } => ({ ...pages(), style: 'cursors' });

/**
 * For lists of all that a server has, which nobody counts: `per_page`, and `since`, the id of the last row of the page before. Rows are
 * in the order of their ids.
 */
export const pagesSince = (options: Bounds = {}): Paging & { readonly style: 'since' } => ({ ...pages(options), style: 'since' });

/** For counted lists that change while they are read: `per_page`, and `after`, the cursor of a row, from the `Link` header. */
export const pagesAfter = (): Paging & { readonly style: 'after' } => ({ ...pages(), style: 'after' });

/** For lists that clients walk in both directions: `per_page`, and `before` or `after`, a cursor from the `Link` header. */
export const pagesAround = (): Paging & { readonly style: 'around' } => ({ ...pages(), style: 'around' });

/** For replies that are one object with a long list in it: the list is paged, and `Link` has the next page. */
export const pagesInside = (options: Bounds = {}): Paging & { readonly style: 'inside' } => ({
  ...pages(options),
  style: 'inside',
});

/** A list inside `{total_count, <name>: […]}`. */
export const enveloped = <Name extends string, Item extends TSchema>(
  name: Name,
  item: Item,
): TObject<{ total_count: TInteger } & { [K in Name]: TArray<Item> }> =>
  Type.Object({ total_count: Type.Integer(), [name]: Type.Array(item) }) as never;

/** The parameter that says where a page begins; where there is another for the pages before it, that of the next page. */
export const positionOf = {
  pages: 'page',
  inside: 'page',
  cursors: 'cursor',
  since: 'since',
  after: 'after',
  around: 'after',
} as const satisfies Record<Paging['style'], string>;

/** All parameters that say where a page begins. */
export const positionsOf = (style: Paging['style']): readonly string[] =>
  style === 'around' ? ['before', 'after'] : [positionOf[style]];

/** The page of a query. As in the public API, invalid values become the default, and too large ones the maximum. */
export function pageOf(paging: Paging, query: Readonly<Record<string, unknown>>): Page {
  const limit = Math.min(positiveInteger(query.per_page, paging.defaultLimit), paging.maxLimit);
  if (paging.style === 'cursors')
    return { limit, number: 1, offset: 0, ...(typeof query.cursor === 'string' ? { cursor: query.cursor } : {}) };
  if (paging.style === 'since') return { limit, number: 1, offset: 0, since: idOr0(query.since) };
  if (paging.style === 'after') return { limit, number: 1, offset: 0, since: idOr0(query.after) };
  if (paging.style === 'around') return { limit, number: 1, offset: 0, ...edgeOf(query) };
  const number = positiveInteger(query.page, 1);
  return { limit, number, offset: (number - 1) * limit };
}

/**
 * Refuses paging parameters that aren't numbers, and a repeated cursor, for endpoints that demand it. Numbers out of range are read as
 * `pageOf` does.
 */
export function checkPaging({ style }: Paging, query: Readonly<Record<string, unknown>>): void {
  if (style === 'cursors' && Array.isArray(query.cursor)) throw badRequest('Invalid cursor');
  for (const name of ['per_page', ...(style === 'cursors' ? [] : positionsOf(style))]) {
    const value = query[name];
    if (value !== undefined && !(typeof value === 'string' && /^-?\d+$/.test(value)))
      throw badRequest(`${name} must be a number`);
  }
}

/** Larger page numbers are treated as this one, so that the offset of a statement is bounded. */
const maxPage = 100_000;

function positiveInteger(value: unknown, fallback: number): number {
  const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : 0;
  return number >= 1 ? Math.min(number, maxPage) : fallback;
}

/** The cursor of a query: one of the two. @throws Refusal 400 where it names both, or one of them twice */
function edgeOf({ before, after }: Readonly<Record<string, unknown>>): Pick<Page, 'before' | 'after'> {
  if ((before !== undefined && after !== undefined) || Array.isArray(before) || Array.isArray(after))
    throw badRequest('A page is before one cursor, or after one');
  if (typeof before === 'string') return { before };
  return typeof after === 'string' ? { after } : {};
}

/** An id of a query; 0, which is before all ids, where it isn't one. */
const idOr0 = (value: unknown): number => (typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : 0);

/** One page of a list in memory. Only short lists are read whole. */
export const pageOut = <Row>(rows: readonly Row[], page: Page): Listed<Row> => ({
  rows: rows.slice(page.offset, page.offset + page.limit),
  total: rows.length,
});

/** The `Link` header of a page, or undefined when one page holds everything. `url` is the request's own. */
export function linkHeader(
  url: URL,
  { style }: Paging,
  { number, limit }: Page,
  list: { total: number } | Neighbours,
): string | undefined {
  const targets = 'total' in list ? numberedTargets(number, Math.max(1, Math.ceil(list.total / limit))) : neighbourTargets(list);
  const links = targets.map(([rel, position]) => {
    const target = new URL(url);
    for (const name of positionsOf(style)) target.searchParams.delete(name);
    target.searchParams.set(style === 'around' && rel === 'prev' ? 'before' : positionOf[style], String(position));
    return `<${target.href}>; rel="${rel}"`;
  });
  return links.length === 0 ? undefined : links.join(', ');
}

type Target = readonly [rel: string, position: number | string];

/** The pages that a numbered page leads to. */
const numberedTargets = (number: number, last: number): Target[] => [
  ...(number > 1 ? [['prev', Math.min(number - 1, last)] as const] : []),
  ...(number < last ? [['next', number + 1] as const, ['last', last] as const] : []),
  ...(number > 1 ? [['first', 1] as const] : []),
];

/** The pages that one of an uncounted list leads to (document 1, Pagination). */
const neighbourTargets = ({ previous, next }: Neighbours): Target[] =>
  Object.entries({ prev: previous, next }).flatMap(([rel, position]) =>
    position === undefined ? [] : [[rel, position] as const],
  );
