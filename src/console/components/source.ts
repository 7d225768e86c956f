// What the pages of files and folders share: addresses, the menu of refs, the path, the last commit.
import type { PageRequest } from '#console/page.ts';
import { type IconName, icon } from '#html/icons.ts';
import { attribute, html, joined, type TrustedHtml } from '#html/template.ts';
import { pagePath } from './address.ts';
import { avatar, personLink, type ShownAccount } from './person.ts';
import { middleCut } from './text.ts';
import { timeAgo } from './time.ts';

type Repository = { readonly full_name: string; readonly name: string };

/** A ref, its commit, and a path there. */
export type ShownLocation = {
  readonly ref: string;
  readonly ref_type: 'branch' | 'tag' | 'commit';
  readonly sha: string;
  readonly path: string;
};

type SourcePage = 'tree' | 'blob' | 'raw' | 'blame' | 'commits' | 'find';

/** The address of a page of a file or a folder. */
export const sourcePath = ({ full_name }: Pick<Repository, 'full_name'>, page: SourcePage, ref: string, path = ''): string =>
  path === '' ? pagePath(full_name, page, ref) : pagePath(full_name, page, ref, path);

type Names = { readonly names: readonly string[]; readonly is_cut: boolean };
type RefMenu = {
  readonly repository: Repository;
  readonly location: ShownLocation;
  readonly refs: { readonly branches: Names; readonly tags: Names };
  readonly page: SourcePage;
};

/** A menu of branches and tags, which lead to the same path. */
export function refMenu({ repository, location, refs, page }: RefMenu): TrustedHtml {
  const { ref, ref_type, path } = location;
  const link = (name: string): TrustedHtml =>
    html`<a class="cut" href="${sourcePath(repository, page, name, path)}" title="${name}"${attribute(
      'aria-current',
      name === ref && 'true',
    )}>${name}</a>`;
  const part = (title: string, { names, is_cut }: Names, address: string): TrustedHtml =>
    names.length === 0
      ? html``
      : html`<h2>${title}</h2>${names.map(link)}<a class="soft"
href="${address}">${is_cut ? 'More' : 'All'} ${title.toLowerCase()}</a>`;
  const icons: Record<ShownLocation['ref_type'], IconName> = { branch: 'branch', tag: 'tag', commit: 'commit' };
  const name = ref_type === 'commit' && /^[0-9a-f]{40}$/.test(ref) ? ref.slice(0, 10) : ref;
  return html`<details class="menu start refs"><summary class="button">${icon(icons[ref_type])}<span class="unseen">${
    ref_type === 'commit' ? 'Commit' : `Switch from the ${ref_type}`
  }</span><b>${middleCut(name, 32)}</b>${icon('down')}</summary><div class="menu-items">
${part('Branches', refs.branches, pagePath(repository.full_name, 'branches'))}
${part('Tags', refs.tags, pagePath(repository.full_name, 'tags'))}</div></details>`;
}

/** The path of a file or folder, whose folders are links. */
export function pathLinks(repository: Repository, { ref, path }: ShownLocation): TrustedHtml {
  const parts = path === '' ? [] : path.split('/');
  const links = parts.map((part, at) =>
    at === parts.length - 1
      ? html`<b>${part}</b>`
      : html`<a href="${sourcePath(repository, 'tree', ref, parts.slice(0, at + 1).join('/'))}">${part}</a>`,
  );
  const root = html`<a href="${sourcePath(repository, 'tree', ref)}">${repository.name}</a>`;
  return html`<nav class="path" aria-label="Path">${joined([root, ...links], html`<i>/</i>`)}</nav>`;
}

type ShownCommit = {
  readonly sha: string;
  readonly title: string;
  readonly date: string;
  readonly author: ShownAccount | null;
  readonly author_name: string;
};

/** Who wrote a commit: an account, or a name. */
export const commitAuthor = ({ author, author_name }: Pick<ShownCommit, 'author' | 'author_name'>): TrustedHtml =>
  author ? html`${avatar(author)}${personLink(author)}` : html`<b class="cut">${author_name}</b>`;

/** The last commit of what is shown, in one line. */
export function lastCommitLine({ full_name }: Repository, commit: ShownCommit, { now }: PageRequest<unknown>): TrustedHtml {
  const address = pagePath(full_name, 'commit', commit.sha);
  return html`${commitAuthor(commit)}<a class="soft cut grow" href="${address}">${titleOf(commit)}</a>
<span class="row small soft keep"><a class="soft"
href="${address}"><code>${commit.sha.slice(0, 8)}</code></a>${timeAgo(commit.date, now)}</span>`;
}

/** The title of a commit, or a word for an empty one, so that there is something to follow. */
export const titleOf = ({ title }: Pick<ShownCommit, 'title'>): string => title || 'No message';

const units = ['bytes', 'KB', 'MB', 'GB'] as const;

/** A number of bytes for people, such as "12.3 KB". */
export function sizeText(bytes: number): string {
  let size = bytes;
  let unit = 0;
  for (; size >= 1_000 && unit < units.length - 1; unit++) size /= 1_000;
  return `${unit === 0 ? size : size.toFixed(size < 10 ? 1 : 0)} ${bytes === 1 ? 'byte' : units[unit]}`;
}
