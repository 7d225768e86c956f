// The parameters by which pages read a diff.
import type { PageQuery } from '#console/page.ts';
import { fixedValue } from '#lib/limits.ts';
import { diffLimits } from '#resources/code/commits/index.ts';

/** The number of files on one page. */
export const filesOnPage = fixedValue(diffLimits.files);

/** What a page asks of the diff. Values that mean nothing are left out, so that an old link still shows something. */
export const diffQueryOf = ({ w, file, row, expand, page }: PageQuery) => ({
  w: w === '1' ? '1' : undefined,
  file,
  row: file !== undefined && /^\d{1,7}$/.test(row ?? '') ? row : undefined,
  expand: file !== undefined && /^\d{1,8}-\d{1,8}(?:,\d{1,8}-\d{1,8})*$/.test(expand ?? '') ? latest(expand) : undefined,
  page: /^\d{1,4}$/.test(page ?? '') ? page : undefined,
});

/** The latest ranges: those before them are left out of a text that became too long. */
const latest = (ranges: string | undefined): string | undefined =>
  ranges === undefined || ranges.length <= 1_000 ? ranges : ranges.slice(ranges.indexOf(',', ranges.length - 1_000) + 1);
