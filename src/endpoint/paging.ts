import { type TArray, type TInteger, type TObject, type TSchema, Type } from 'typebox';
import type { Listed, Neighbours, Page } from '#lib/page.ts';
import { badRequest } from '#lib/refusal.ts';

export type Paging = {
  /**
   * `inside`: the reply is an object with a paged list in it. `since`: a page begins after the id in the query. `both`: pages
   * have numbers, or lie before or after a cursor.
   */
  readonly style: 'pages' | 'cursors' | 'inside' | 'since' | 'both';
  readonly defaultLimit: number;
  readonly maxLimit: number;
  /** The number of rows that paging can reach, even if there are more. */
  readonly most?: number;
  /** For lists with numbers or cursors: rows aren't counted, so a numbered page only links the next one, by cursor. */
  readonly isUncounted?: true;
};

type Bounds = { defaultLimit?: number; maxLimit?: number; most?: number };

/** Document 1: `per_page` is 30 by default and 100 at most, and `page` starts at 1. */
export const pages = (options: Bounds = {}): Paging & { readonly style: 'pages' } => ({
  style: 'pages',
  defaultLimit: options.defaultLimit ?? 30,
  maxLimit: options.maxLimit ?? 100,
  ...(options.most === undefined ? {} : { most: options.most }),
});

/** Cursor paging, for lists that grow while they are read: `per_page`, and a `cursor` from the `Link` header. */
export const cursors = (): Paging & { readonly style: 'cursors' } => ({ ...pages(), style: 'cursors' });

/**
 * For lists over the whole server, which aren't counted: `per_page`, and `since`, the id of the last row of the previous page.
 * Rows are ordered by id.
 */
export const pagesSince = (options: Bounds = {}): Paging & { readonly style: 'since' } => ({ ...pages(options), style: 'since' });

/**
 * For lists that change while they are read, with numbers or cursors: `per_page` and `page`, or `before` or `after` with a cursor
 * from the `Link` header. If a request has both, the cursor counts.
 */
export const pagesAndCursors = (options: { isUncounted?: true } = {}): Paging & { readonly style: 'both' } => ({
  ...pages(),
  ...options,
  style: 'both',
});

/** For replies that are one object with a long list in it. The list is paged, and `Link` has the next page. */
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

/** The parameters that set the start of a page. */
export const positionsOf = {
  pages: ['page'],
  inside: ['page'],
  cursors: ['cursor'],
  since: ['since'],
  both: ['page', 'before', 'after'],
} as const satisfies Record<Paging['style'], readonly string[]>;

/**
 * The page that a query requests. As in the public API, invalid values become the default, and values that are too large become
 * the maximum. `showsTotal`: the reply has the number of all rows.
 */
export function pageOf(
  paging: Paging,
  query: Readonly<Record<string, unknown>>,
  { showsTotal }: { showsTotal: boolean } = { showsTotal: false },
): Page {
  const limit = Math.min(positiveInteger(query.per_page, paging.defaultLimit), paging.maxLimit);
  if (paging.style === 'cursors')
    return { limit, number: 1, offset: 0, ...(typeof query.cursor === 'string' ? { cursor: query.cursor } : {}) };
  if (paging.style === 'since') return { limit, number: 1, offset: 0, since: idOr0(query.since) };
  const edge = paging.style === 'both' ? edgeOf(query) : undefined;
  const counting = showsTotal || (!edge && !paging.isUncounted) ? {} : ({ isUncounted: true } as const);
  if (edge) return { limit, number: 1, offset: 0, ...edge, ...counting };
  const number = positiveInteger(query.page, 1);
  return { limit, number, offset: (number - 1) * limit, ...counting };
}

/**
 * Refuses paging parameters that aren't numbers, and a repeated cursor, for endpoints that require it. Numbers out of range are
 * handled as in `pageOf`.
 */
export function checkPaging({ style }: Paging, query: Readonly<Record<string, unknown>>): void {
  if (style === 'cursors' && Array.isArray(query.cursor)) throw badRequest('Invalid cursor');
  for (const name of ['per_page', ...(style === 'cursors' ? [] : positionsOf[style])]) {
    const value = query[name];
    if (value !== undefined && !(typeof value === 'string' && /^-?\d+$/.test(value)))
      throw badRequest(`${name} must be a number`);
  }
}

/** Larger page numbers are treated as this one, which bounds the offset of a statement. */
const maxPage = 100_000;

function positiveInteger(value: unknown, fallback: number): number {
  const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : 0;
  return number >= 1 ? Math.min(number, maxPage) : fallback;
}

/**
 * The cursor of a query; undefined if it has none. An empty cursor requests the first page (the public API's way to a first
 * cursor).
 * @throws Refusal 400 if the query has both cursors, or one of them twice
 */
function edgeOf({ before, after }: Readonly<Record<string, unknown>>): Pick<Page, 'before' | 'after'> | undefined {
  if ((before !== undefined && after !== undefined) || Array.isArray(before) || Array.isArray(after))
    throw badRequest('A page is before one cursor, or after one');
  if (typeof before === 'string' && before !== '') return { before };
  return typeof after === 'string' && after !== '' ? { after } : undefined;
}

/** The id in a query; 0, which is before all ids, if it isn't valid. */
const idOr0 = (value: unknown): number => (typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : 0);

/** One page of a list in memory, for lists short enough to be read as a whole. */
export const pageOut = <Row>(rows: readonly Row[], page: Page): Listed<Row> => ({
  rows: rows.slice(page.offset, page.offset + page.limit),
  total: rows.length,
});

/** The total number of rows if pages are numbered, and the cursors of the neighbouring pages if there are any. */
export type ListPosition = { total?: number } & Neighbours;

/** The `Link` header of a page, or undefined if one page holds everything. `url` is the request's own. */
export function linkHeader(
  url: URL,
  { style }: Paging,
  { number, limit, before, after }: Page,
  { total, ...beside }: ListPosition,
): string | undefined {
  const isByCursor = total === undefined || before !== undefined || after !== undefined;
  const targets = isByCursor
    ? neighbourTargets(style, beside)
    : numberedTargets(number, Math.min(maxPage, Math.max(1, Math.ceil(total / limit))), beside);
  const links = targets.map(([rel, positions]) => {
    const target = new URL(url);
    for (const name of positionsOf[style]) target.searchParams.delete(name);
    for (const [name, position] of Object.entries(positions)) target.searchParams.set(name, String(position));
    return `<${target.href}>; rel="${rel}"`;
  });
  return links.length === 0 ? undefined : links.join(', ');
}

/** A linked page, and the parameters that set its start. */
type Target = readonly [rel: string, positions: { readonly [parameter: string]: number | string }];

/** The pages that a numbered page links. Neighbouring pages also have cursors, for clients that use them. */
const numberedTargets = (number: number, last: number, { previous, next }: Neighbours): Target[] => [
  ...(number > 1
    ? [['prev', { page: Math.min(number - 1, last), ...(previous !== undefined && { before: previous }) }] as const]
    : []),
  ...(number < last
    ? [['next', { page: number + 1, ...(next !== undefined && { after: next }) }] as const, ['last', { page: last }] as const]
    : []),
  ...(number > 1 ? [['first', { page: 1 }] as const] : []),
];

/** The pages that an unnumbered page links (document 1, Pagination). */
const neighbourTargets = (style: Paging['style'], { previous, next }: Neighbours): Target[] => {
  const names = style === 'both' ? (['before', 'after'] as const) : ([positionsOf[style][0], positionsOf[style][0]] as const);
  return [
    ...(previous === undefined ? [] : [['prev', { [names[0]]: previous }] as const]),
    ...(next === undefined ? [] : [['next', { [names[1]]: next }] as const]),
  ];
};
