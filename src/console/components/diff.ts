// A diff: the tree of its files, and their lines beside or below each other.
import type { PageRequest } from '#console/page.ts';
import { attribute, html, type Insertable, type TrustedHtml } from '#html/template.ts';
import type { Diff } from '#resources/code/commits/index.ts';
import { pagePath, withQuery } from './address.ts';
import { countsOf, type DiffOptions, diffAnchor, isSplit, type ShownFile, statusIcon } from './diff-parts.ts';
import { diffTable } from './diff-table.ts';
import { diffTree } from './diff-tree.ts';
import { counted, pager } from './lists.ts';
import { middleCut } from './text.ts';

/** A diff with its tools. */
export function diffView(options: DiffOptions): TrustedHtml {
  const { diff, request, perPage } = options;
  const { query, address } = request;
  const isOne = query.file !== undefined;
  if (diff.changed_files === 0) return html`<p class="notice">Nothing differs.</p>`;
  const total = Math.min(diff.changed_files, mostFiles);
  const files = diff.files.map((file) => diffFile(file, options));
  return html`<section class="diff-page" aria-label="Changes">${toolbar(diff, request)}
${
  isOne
    ? html`<p class="notice">One file of ${counted(diff.changed_files, 'changed file')} is shown. <a
href="${withQuery(address, { file: undefined, row: undefined, expand: undefined })}">Show all</a></p>`
    : ''
}
<div class="diff-files">${isOne || diff.files.length < 2 ? '' : diffTree(diff.files)}<div class="stack">${files}</div></div>
${isOne ? '' : html`${leftOut(diff)}${pager(request, { position: { total }, perPage })}`}</section>`;
}

/** Further files aren't listed. */
const mostFiles = 3_000;

const leftOut = ({ changed_files }: Diff): TrustedHtml =>
  changed_files > mostFiles
    ? html`<p class="notice">The first ${counted(mostFiles, 'file')} of ${counted(changed_files, 'file')} are listed.
Clone the repository to read the others.</p>`
    : html``;

function toolbar({ changed_files, additions, deletions }: Diff, request: PageRequest<unknown>): TrustedHtml {
  const { query, address } = request;
  const split = isSplit(request);
  const choice = (title: string, changes: Record<string, string | undefined>, isChosen: boolean): TrustedHtml =>
    html`<a href="${withQuery(address, changes)}"${attribute('aria-current', isChosen && 'true')}>${title}</a>`;
  const ignores = query.w === '1';
  const space = withQuery(address, { w: ignores ? undefined : '1' });
  return html`<div class="row diff-tools"><h2>${counted(changed_files, 'changed file')}</h2>
${countsOf({ additions, deletions })}
<nav class="row push" aria-label="How changes are shown"><span class="choices">${choice('Unified', { diff: undefined }, !split)}
${choice('Split', { diff: 'split' }, split)}</span>
<a class="button" href="${space}">${ignores ? 'Show white space' : 'Hide white space'}</a></nav></div>`;
}

function diffFile(file: ShownFile, options: DiffOptions): TrustedHtml {
  const id = diffAnchor(file.path);
  const { base, head } = options.repositories;
  const blob =
    file.new === null
      ? options.diff.base === null
        ? undefined
        : pagePathOf(base, 'blob', options.diff.base, file.previous_path ?? file.path)
      : pagePathOf(head, 'blob', options.diff.head, file.path);
  const name =
    file.previous_path === undefined || file.previous_path === file.path
      ? middleCut(file.path, 100)
      : html`${middleCut(file.previous_path, 60)} → ${middleCut(file.path, 60)}`;
  const isSubmodule = file.new?.mode === '160000' || file.old?.mode === '160000';
  return html`<section class="panel diff-file" id="${id}" aria-label="${file.path}"><header>${statusIcon(file)}
<h3><a href="#${id}">${name}</a></h3><span class="soft small">${aboutOf(file)}</span><span class="row push">${countsOf(file)}
${
  blob === undefined || isSubmodule
    ? ''
    : html`<a class="small" href="${blob}">View file<span
class="unseen"> ${file.path}</span></a>`
}</span></header>
${options.threads?.ofFile?.(file.path)}${contentOf(file, id, options)}</section>`;
}

/** The path of a file in a repository, whose words are escaped. */
const pagePathOf = (repository: string, ...words: readonly string[]): string => `${repository}${pagePath(...words)}`;

const kinds: Readonly<Record<string, string>> = {
  '100644': 'a file',
  '100755': 'an executable file',
  '120000': 'a symbolic link',
  '160000': 'a submodule',
};

/** What happened to a file beyond its lines. */
function aboutOf({ status, old: before, new: after }: ShownFile): string {
  const words: string[] = status === 'modified' || status === 'changed' ? [] : [status];
  const kind = (after ?? before)?.mode ?? '';
  if (before && after && before.mode !== after.mode)
    words.push(`${kinds[before.mode] ?? before.mode} became ${kinds[after.mode] ?? after.mode}`);
  else if (kind !== '100644') words.push(kinds[kind] ?? kind);
  return words.join(', ');
}

const imageEnding = /\.(?:png|jpe?g|gif|webp|avif|bmp|ico)$/i;

function contentOf(file: ShownFile, id: string, options: DiffOptions): TrustedHtml {
  if (file.closed) return closedFile(file, id, options);
  if (file.is_binary) return imageEnding.test(file.path) ? images(file, options) : message('Binary files are not shown.');
  if ((file.rows ?? []).length > 0) return diffTable(file, id, options);
  if (file.additions + file.deletions > 0) return message('The change is too large to be shown.');
  if (file.old?.sha === file.new?.sha) return message('The content is the same.');
  return message(options.request.query.w === '1' ? 'Only white space differs.' : 'The file is empty.');
}

const message = (text: Insertable): TrustedHtml => html`<p class="body soft">${text}</p>`;

const reasons = {
  generated: 'This file is generated.',
  large: 'This file has many changes.',
  later: 'This file is not read yet.',
} as const;

/** A file whose lines are read when it is opened: on a page of its own, or within this page by the script. */
function closedFile(file: ShownFile, id: string, { request }: DiffOptions): TrustedHtml {
  const why = file.closed ?? 'later';
  const address = `${withQuery(request.address, { file: file.path, page: undefined, row: undefined, expand: undefined })}#${id}`;
  const lines = counted(file.additions + file.deletions, 'changed line');
  return html`<p class="body row"><span class="soft">${reasons[why]}</span>
<a class="button" href="${address}" data-diff="file">Show ${lines}<span class="unseen"> of ${file.path}</span></a></p>`;
}

function images(file: ShownFile, { diff, repositories }: DiffOptions): TrustedHtml {
  const figure = (title: string, address: string): TrustedHtml =>
    html`<figure><figcaption class="soft small">${title}</figcaption><img src="${address}" alt="${title}: ${file.path}"
loading="lazy"></figure>`;
  const before =
    file.old && diff.base !== null
      ? figure('Before', pagePathOf(repositories.base, 'raw', diff.base, file.previous_path ?? file.path))
      : '';
  const after = file.new ? figure('After', pagePathOf(repositories.head, 'raw', diff.head, file.path)) : '';
  return html`<div class="body diff-images">${before}${after}</div>`;
}
