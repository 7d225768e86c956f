/** A numbered page: which rows a list statement takes. `limit` is 1 to 100, `number` counts from 1. */
export type Page = { limit: number; offset: number; number: number };

/** What a list gives back: the rows of the page, and how many there are in all (bounded; see `database/list.ts`). */
export type Listed<Row> = { rows: Row[]; total: number };
