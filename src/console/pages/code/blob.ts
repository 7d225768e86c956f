import { withQuery } from '#console/components/address.ts';
import { copyButton } from '#console/components/copy.ts';
import { counted, countText, emptyState } from '#console/components/lists.ts';
import { lastCommitLine, pathLinks, refMenu, sizeText, sourcePath } from '#console/components/source.ts';
import { codeBlock, codeText, rendered } from '#console/components/text.ts';
import { inRepository, type ShownRepository } from '#console/frames/repository.ts';
import { type Found, type PageRequest, page, read } from '#console/page.ts';
import { icon } from '#html/icons.ts';
import { attribute, html, type TrustedHtml } from '#html/template.ts';
import { getSourceFile } from '#resources/code/source-pages/endpoints/files.ts';
import { getRefNames } from '#resources/code/source-pages/endpoints/folders.ts';

const reads = ({ query }: PageRequest<unknown>) => ({
  file: read(getSourceFile, { query: { line: lineOf(query.line), source: query.view === 'source' } }),
  refs: read(getRefNames),
});
type ShownFile = Found<ReturnType<typeof reads>>['file'];

/** The line of a query, if it is a number. */
export const lineOf = (text: string | undefined): number | undefined =>
  /^[1-9]\d{0,8}$/.test(text ?? '') ? Number(text) : undefined;

export const blobPage = page({
  path: '/{owner}/{repo}/blob/{path*}',
  frame: inRepository('code'),
  reads,
  render({ repository, file, refs }, request) {
    const { ref, path, type } = file;
    if (type === 'dir') return { redirect: sourcePath(repository, 'tree', ref, path) };
    return {
      title: `${path} · ${repository.full_name}`,
      body: html`<h1 class="unseen">${path}</h1><div
class="heading">${refMenu({ repository, location: file, refs, page: 'blob' })}
${pathLinks(repository, file)}${copyButton(path, 'path')}<span class="push"></span>
<a class="button" data-shortcut="t" href="${sourcePath(repository, 'find', ref)}">${icon('search')}Go to file</a></div>
<section class="panel file">${
        file.last_commit
          ? html`<header
class="last">${lastCommitLine(repository, file.last_commit, request)}</header>`
          : ''
      }
${type === 'submodule' ? submodule : html`${toolbar(repository, file, request)}${view(repository, file, request)}`}</section>`,
    };
  },
});

const submodule = emptyState({ icon: 'submodule', title: 'This is a submodule', hint: 'Its files are in another repository.' });

function toolbar(repository: ShownRepository, file: ShownFile, { address }: PageRequest<unknown>): TrustedHtml {
  const { ref, sha, path, code, size, language, is_executable, has_preview } = file;
  const facts = [code ? counted(code.total, 'line') : '', sizeText(size), language ?? '', is_executable ? 'executable' : ''];
  const isSource = code !== null;
  const views = has_preview
    ? html`<nav class="row keep views" aria-label="Views"><a
href="${withQuery(address, { view: undefined, line: undefined })}"${attribute('aria-current', !isSource && 'true')}>Preview</a>
<a href="${withQuery(address, { view: 'source' })}"${attribute('aria-current', isSource && 'true')}>Source</a></nav>`
    : '';
  return html`<header>${views}<span class="soft small">${facts.filter((fact) => fact !== '').join(' · ')}</span>
<span class="push row small"><a href="${sourcePath(repository, 'raw', ref, path)}">Raw</a>
<a href="${sourcePath(repository, 'raw', ref, path)}" download>Download</a>${
    file.kind === 'text' ? html`<a data-shortcut="b" href="${sourcePath(repository, 'blame', ref, path)}">Blame</a>` : ''
  }<a href="${sourcePath(repository, 'commits', ref, path)}">History</a>
<a data-shortcut="y" data-keeps-lines href="${sourcePath(repository, 'blob', sha, path)}">Permanent link</a></span></header>`;
}

function view(repository: ShownRepository, file: ShownFile, request: PageRequest<unknown>): TrustedHtml {
  const { ref, path, name, type, target, kind, size, markdown, table, notebook, code } = file;
  const raw = sourcePath(repository, 'raw', ref, path);
  if (type === 'symlink') return html`<p class="body">A symbolic link to <code>${target}</code></p>`;
  if (markdown !== null) return rendered(markdown);
  if (notebook) return cells(notebook);
  if (table) return tableOf(table);
  if (code) return source(file, code, request);
  if (kind === 'image') return html`<div class="picture"><img src="${raw}" alt="${name}"></div>`;
  const words = {
    pdf: 'A PDF document',
    large: 'This file is too large to be shown here',
    binary: 'This file isn’t text',
    text: '',
    image: '',
  };
  return emptyState({
    icon: 'file',
    title: words[kind],
    hint: html`<a href="${raw}" download>Download it</a> (${sizeText(size)})`,
  });
}

function source(file: ShownFile, code: NonNullable<ShownFile['code']>, { address }: PageRequest<unknown>): TrustedHtml {
  const { from, lines, total, is_cut } = code;
  if (total === 0) return emptyState({ icon: 'file', title: 'This file is empty' });
  return html`${codeBlock({ from, lines, total, label: `Lines of ${file.name}` })}${
    is_cut ? html`<p class="body soft">Very long lines are cut. The raw file has them whole.</p>` : ''
  }${linePager(address, { ...code, to: from + lines.length - 1 })}`;
}

type LineRange = { from: number; to: number; total: number; previous: number | null; next: number | null };

/** Links to the other parts of a long file; nothing for a file that is shown whole. */
export const linePager = (address: string, { from, to, total, previous, next }: LineRange): TrustedHtml =>
  previous === null && next === null
    ? html``
    : html`<nav class="pager" aria-label="Parts of the file">${
        previous === null
          ? ''
          : html`<a class="button" rel="prev"
href="${withQuery(address, { line: previous })}">${icon('previous')}Earlier lines</a>`
      }<span class="soft">Lines ${lineText(from)} to ${lineText(to)} of ${lineText(total)}</span>${
        next === null
          ? ''
          : html`<a class="button" rel="next" href="${withQuery(address, { line: next })}">Further lines${icon('next')}</a>`
      }</nav>`;

const grouped = new Intl.NumberFormat('en');
const lineText = (number: number): string => grouped.format(number);

function tableOf({ rows, is_cut }: NonNullable<ShownFile['table']>): TrustedHtml {
  const [head = [], ...body] = rows;
  return html`<div class="values" tabindex="0" role="region" aria-label="Table"><table
class="rows"><thead><tr><td></td>${head.map((cell) => html`<th scope="col">${cell}</th>`)}</tr></thead><tbody>${body.map(
    (row, at) => html`<tr><td class="soft">${at + 2}</td>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`,
  )}</tbody></table></div>${
    is_cut
      ? html`<p
class="body soft">These are the first ${countText(rows.length)} rows, with 200 columns at most. The raw file has all.</p>`
      : ''
  }`;
}

function cells({ cells: all, is_cut }: NonNullable<ShownFile['notebook']>): TrustedHtml {
  if (all.length === 0) return emptyState({ icon: 'file', title: 'This notebook has no cells' });
  return html`<div class="notebook">${all.map(
    ({ html: text, lines, outputs, others }) =>
      html`<div class="cell">${text === null ? codeText(lines) : rendered(text)}${outputs.map(
        (output) => html`<pre class="output">${output}</pre>`,
      )}${otherOutputs(others)}</div>`,
  )}</div>${
    is_cut ? html`<p class="body soft">These are the first ${countText(all.length)} cells. The raw file has all.</p>` : ''
  }`;
}

function otherOutputs(count: number): TrustedHtml {
  if (count === 0) return html``;
  const outputs = counted(count, 'output that isn’t text', 'outputs that aren’t text');
  return html`<p class="soft small">${outputs}. The raw file has ${count === 1 ? 'it' : 'them'}.</p>`;
}
