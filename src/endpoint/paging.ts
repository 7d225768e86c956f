import { type TArray, type TInteger, type TObject, type TSchema, Type } from 'typebox';
import type { Cursors, Listed, Page } from '#lib/page.ts';
import { badRequest } from '#lib/refusal.ts';

export type Paging = {
  /** `inside`: the reply is one object, and a list in it is paged. */
  readonly style: 'pages' | 'cursors' | 'inside';
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
export const cursors = (): Paging => ({ style: 'cursors', defaultLimit: 30, maxLimit: 100 });

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

/** The page of a query. As in the public API, invalid values become the default, and too large ones the maximum. */
export function pageOf(paging: Paging, query: Readonly<Record<string, unknown>>): Page {
  const limit = Math.min(positiveInteger(query.per_page, paging.defaultLimit), paging.maxLimit);
  if (paging.style === 'cursors')
    return { limit, number: 1, offset: 0, ...(typeof query.cursor === 'string' ? { cursor: query.cursor } : {}) };
  const number = positiveInteger(query.page, 1);
  return { limit, number, offset: (number - 1) * limit };
}

/**
 * Refuses paging parameters that aren't numbers, and a repeated cursor, for endpoints that demand it. Numbers out of range are read as
 * `pageOf` does.
 */
export function checkPaging({ style }: Paging, query: Readonly<Record<string, unknown>>): void {
  if (style === 'cursors' && Array.isArray(query.cursor)) throw badRequest('Invalid cursor');
  for (const name of style === 'cursors' ? ['per_page'] : ['per_page', 'page']) {
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

/** One page of a list in memory. Only short lists are read whole. */
export const pageOut = <Row>(rows: readonly Row[], page: Page): Listed<Row> => ({
  rows: rows.slice(page.offset, page.offset + page.limit),
  total: rows.length,
});

/** The `Link` header of a numbered page, or undefined when one page holds everything. `url` is the request's own. */
export function linkHeader(url: URL, page: Page, total: number): string | undefined {
  const last = Math.max(1, Math.ceil(total / page.limit));
  if (last === 1 && page.number === 1) return undefined;
  const to = (number: number, rel: string): string => {
    const target = new URL(url);
    target.searchParams.set('page', String(number));
    return `<${target.href}>; rel="${rel}"`;
  };
  const links: string[] = [];
  if (page.number > 1) links.push(to(Math.min(page.number - 1, last), 'prev'));
  if (page.number < last) links.push(to(page.number + 1, 'next'), to(last, 'last'));
  if (page.number > 1) links.push(to(1, 'first'));
  return links.join(', ');
}

/** The `Link` header of a list with cursors, with the next and the previous page (document 1). */
export function cursorHeader(url: URL, { previous, next }: Cursors): string | undefined {
  const links = Object.entries({ prev: previous, next }).flatMap(([rel, cursor]) => {
    if (cursor === undefined) return [];
    const target = new URL(url);
    target.searchParams.set('cursor', cursor);
    return [`<${target.href}>; rel="${rel}"`];
  });
  return links.length === 0 ? undefined : links.join(', ');
}
