/**
 * A requested page of a list. `limit` is 1 to 100, and `number` counts from 1. Lists with cursors begin at `cursor`, lists by ids
 * after the id `since` (0: at the beginning), all others at `offset`, or, where a cursor is named instead, `before` or `after` that.
 */
export type Page = {
  limit: number;
  offset: number;
  number: number;
  cursor?: string;
  since?: number;
  before?: string;
  after?: string;
  /** Set where neither the reply nor its links say how many rows the list has, so that nobody counts them. */
  isUncounted?: true;
};

/** The rows of a page, and the total number of rows (bounded; see `database/list.ts`; 0 where the page is uncounted). */
export type Listed<Row> = { rows: Row[]; total: number };

/** The same for a list that is walked by numbers or by cursors, with the cursors of the pages beside it. */
export type Walked<Row> = Listed<Row> & Neighbours;

/** The rows of a page of a list that isn't counted, and where the next and the previous page begin, if there are such. */
export type Uncounted<Row> = { rows: Row[] } & Neighbours;

/** What the parameter of a list's position has for the pages beside one: a cursor or an id. */
export type Neighbours = { next?: string | undefined; previous?: string | undefined };
