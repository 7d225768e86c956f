// What the parts of a diff share: its files and rows, and what stands between them.
import { createHash } from 'node:crypto';
import type { PageRequest } from '#console/page.ts';
import { type IconName, icon } from '#html/icons.ts';
import { html, type Insertable, type TrustedHtml } from '#html/template.ts';
import type { Diff } from '#resources/code/commits/index.ts';

export type ShownFile = Diff['files'][number];
export type ShownRow = NonNullable<ShownFile['rows']>[number];

/** Renders the code of a line. The words between `marks` (start and end of each) have changed. */
export type LineRenderer = (path: string, row: ShownRow) => TrustedHtml;

/** What stands between the lines of a diff. */
export type DiffThreads = {
  /** Below the name of a file. */
  ofFile?(path: string): Insertable;
  /** Below a line, by the side and the numbers of its row; undefined where there is nothing. */
  ofRow?(path: string, row: ShownRow): TrustedHtml | undefined;
};

export type DiffOptions = {
  readonly diff: Diff;
  readonly request: PageRequest<unknown>;
  /** The number of files on a page. */
  readonly perPage: number;
  /** The paths of the repositories that have the files before and after the change. */
  readonly repositories: { readonly base: string; readonly head: string };
  readonly threads?: DiffThreads;
  /** The code of a line, with the changed words marked; plain text if omitted. */
  readonly line?: LineRenderer;
};

/** The id of a file in a diff. Those of its lines add their side and number: `diff-…R12`. */
export const diffAnchor = (path: string): string => `diff-${createHash('sha256').update(path).digest('hex')}`;

/** Whether two columns are wanted. */
export const isSplit = ({ query }: PageRequest<unknown>): boolean => query.diff === 'split';

/** The numbers of added and removed lines. */
export const countsOf = ({ additions, deletions }: Pick<ShownFile, 'additions' | 'deletions'>): TrustedHtml =>
  html`<span class="diff-counts"><span class="ok">+${additions}<span class="unseen"> added</span></span>
<span class="bad">−${deletions}<span class="unseen"> removed</span></span></span>`;

const icons = {
  added: 'plus',
  removed: 'minus',
  modified: 'file',
  renamed: 'next',
  copied: 'copy',
  changed: 'file',
} as const satisfies Record<ShownFile['status'], IconName>;

export const statusIcon = ({ status }: ShownFile): TrustedHtml => icon(icons[status], `diff-${status}`);
