/**
 * A requested page of a list. `limit` is 1 to 100, and `number` counts from 1. Lists with cursors begin at `cursor`, all others at
 * `offset`.
 */
export type Page = { limit: number; offset: number; number: number; cursor?: string };

/**
 * The rows of a page, and the total number of rows (bounded; see `database/list.ts`). Lists with cursors have those of the next
 * and the previous page.
 */
export type Listed<Row> = { rows: Row[]; total: number } & Cursors;

export type Cursors = { next?: string | undefined; previous?: string | undefined };
