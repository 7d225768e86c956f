/**
 * A requested page of a list. `limit` is 1 to 100, and `number` counts from 1. Lists with cursors begin at `cursor`, and lists by
 * ids after the id `since` (0: at the beginning). All others begin at `offset`, or before or after the cursor in `before` or
 * `after`.
 */
export type Page = {
  limit: number;
  offset: number;
  number: number;
  cursor?: string;
  since?: number;
  before?: string;
  after?: string;
  /** Set if neither the reply nor its links have the total number of rows, so that the rows aren't counted. */
  isUncounted?: true;
};

/** The rows of a page, and the total number of rows (bounded, see `database/list.ts`; 0 if the page is uncounted). */
export type Listed<Row> = { rows: Row[]; total: number };

/** The rows of a page of a list with numbers or cursors, with the cursors of the neighbouring pages. */
export type Walked<Row> = Listed<Row> & Neighbours;

/** The rows of a page of an uncounted list, and the starts of the next and the previous page, if they exist. */
export type Uncounted<Row> = { rows: Row[] } & Neighbours;

/** The position parameter of the neighbouring pages: a cursor or an id. */
export type Neighbours = { next?: string | undefined; previous?: string | undefined };
