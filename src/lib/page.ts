/**
 * A page of a list: which rows a list statement takes. `limit` is 1 to 100, `number` counts from 1; `cursor` is where a list
 * that is walked by cursors goes on.
 */
export type Page = { limit: number; offset: number; number: number; cursor?: string };

/**
 * What a list gives back: the rows of the page, and how many there are in all (bounded; see `database/list.ts`). Where the
 * list is walked by cursors, `next` and `previous` are where the pages after and before this one begin.
 */
export type Listed<Row> = { rows: Row[]; total: number } & Cursors;

export type Cursors = { next?: string | undefined; previous?: string | undefined };
