import type { PageRequest } from '#console/page.ts';
import { type IconName, icon } from '#html/icons.ts';
import { html, type TrustedHtml } from '#html/template.ts';
import type { RenderedHtml } from '#text/rendered-html.ts';
import { localAddress, pagePath } from './address.ts';
import { lastCommitLine, type ShownLocation, sourcePath, titleOf } from './source.ts';
import { rendered } from './text.ts';
import { timeAgo } from './time.ts';

type Repository = { readonly full_name: string; readonly name: string };
type Entry = {
  readonly name: string;
  readonly path: string;
  readonly type: 'file' | 'dir' | 'symlink' | 'submodule';
  readonly sha: string;
  readonly html_url: string | null;
  readonly commit: { readonly sha: string; readonly title: string; readonly date: string } | null;
};
type LastCommit = NonNullable<Parameters<typeof lastCommitLine>[1]>;
type Folder = ShownLocation & {
  readonly entries: readonly Entry[];
  readonly is_cut: boolean;
  readonly last_commit: LastCommit | null;
  readonly readme: { readonly name: string; readonly path: string; readonly html: RenderedHtml | null } | null;
};

const icons: Record<Entry['type'], IconName> = { file: 'file', dir: 'folder', symlink: 'symlink', submodule: 'submodule' };
const words: Record<Entry['type'], string> = { file: 'File', dir: 'Folder', symlink: 'Symbolic link', submodule: 'Submodule' };

/** A folder as a table, with the last commit of each entry. `more`: what stands at the end of the line above. */
export function folderTable(
  repository: Repository,
  folder: Folder,
  { request, more }: { request: PageRequest<unknown>; more: TrustedHtml },
): TrustedHtml {
  const { ref, path, entries, last_commit } = folder;
  const above = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
  return html`<section class="panel"><header class="last">${
    last_commit ? lastCommitLine(repository, last_commit, request) : html`<span class="grow"></span>`
  }${more}</header>
<table class="rows tree"><caption class="unseen">${path === '' ? 'Files' : `Files in ${path}`}</caption>
<colgroup><col class="names"><col class="messages"><col class="times"></colgroup><thead
class="unseen"><tr><th scope="col">Name</th><th scope="col">Last commit</th><th scope="col">Time</th></tr></thead><tbody>${
    path === ''
      ? ''
      : html`<tr><td colspan="3"><a href="${sourcePath(repository, 'tree', ref, above)}"
aria-label="The folder above">..</a></td></tr>`
  }${entries.map((entry) => row(repository, entry, { ref, request }))}</tbody></table>${
    folder.is_cut ? html`<p class="body soft">This folder has more than ${entries.length} entries. A clone has them all.</p>` : ''
  }</section>`;
}

function row(
  repository: Repository,
  { name, path, type, sha, html_url, commit }: Entry,
  { ref, request }: { ref: string; request: PageRequest<unknown> },
): TrustedHtml {
  const shown = html`${icon(icons[type], type === 'dir' ? 'folder' : '')}<span class="unseen">${words[type]}</span>`;
  const label =
    type === 'submodule'
      ? html`${html_url === null ? name : html`<a href="${localAddress(html_url, request.links.html)}">${name}</a>`}
<code class="soft">${sha.slice(0, 8)}</code>`
      : html`<a href="${sourcePath(repository, type === 'dir' ? 'tree' : 'blob', ref, path)}">${name}</a>`;
  const message = commit
    ? html`<a class="soft" href="${pagePath(repository.full_name, 'commit', commit.sha)}">${titleOf(commit)}</a>`
    : '';
  return html`<tr><td class="cut">${shown}${label}</td><td class="cut">${message}</td><td class="soft small">${
    commit ? timeAgo(commit.date, request.now) : ''
  }</td></tr>`;
}

/** The README of a folder; nothing where there is none. */
export function readmePanel(repository: Repository, { ref, readme }: Folder): TrustedHtml {
  if (!readme) return html``;
  const address = sourcePath(repository, 'blob', ref, readme.path);
  return html`<section class="panel" id="readme"><header>${icon('book')}<h2><a class="plain-link"
href="${address}">${readme.name}</a></h2></header>
${readme.html === null ? html`<p class="body soft">It is too large to be shown here.</p>` : rendered(readme.html)}</section>`;
}
