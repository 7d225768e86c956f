// The frame of a repository's pages: its name, its state and its tabs.

import { localAddress, pagePath } from '#console/components/address.ts';
import { countBadge } from '#console/components/lists.ts';
import { type Found, type Frame, read } from '#console/page.ts';
import { type IconName, icon } from '#html/icons.ts';
import { attribute, html, type TrustedHtml } from '#html/template.ts';
import { countOpen } from '#resources/collaboration/issues/endpoints/counts.ts';
import { getRepository } from '#resources/repositories/repositories/endpoints/repositories.ts';
import { footer, topBar } from './plain.ts';

const reads = () => ({ repository: read(getRepository), open: read(countOpen) });
type RepositoryReads = ReturnType<typeof reads>;

/** What every page of a repository has read. */
export type FoundRepository = Found<RepositoryReads>;
export type ShownRepository = FoundRepository['repository'];

type Tab = 'code' | 'issues' | 'pulls' | 'actions' | 'releases' | 'security' | 'insights' | 'settings';

/** The path of a repository's page. */
export const repositoryPath = (
  { full_name }: Pick<ShownRepository, 'full_name'>,
  ...rest: readonly (string | number)[]
): string => pagePath(full_name, ...rest);

/** The frame of a repository's pages. `tab`: the current tab. */
export const inRepository = (tab: Tab): Frame<RepositoryReads> => ({
  reads,
  render({ body }, found, request) {
    const { repository } = found;
    const [owner = '', name = ''] = repository.full_name.split('/');
    const where = html`<a class="soft" href="/${owner}">${owner}</a><i>/</i><a href="${repositoryPath(repository)}">${name}</a>${
      repository.private ? html`<span class="badge">${icon('lock')}${repository.visibility}</span>` : ''
    }${repository.archived ? html`<span class="badge">${icon('archive')}archived</span>` : ''}`;
    return html`${topBar(where, request)}${tabs(tab, found)}<main id="main">${body}</main>${footer(
      localAddress(repository.url, request.links.html),
    )}`;
  },
});

/** The keys of tabs, which follow `g`. */
const tabKeys: Partial<Record<Tab, string>> = { code: 'c', issues: 'i', pulls: 'p', actions: 'w' };

function tabs(current: Tab, { repository, open }: FoundRepository): TrustedHtml {
  const canAdminister = repository.permissions?.admin === true;
  const all: readonly (readonly [tab: Tab, icon: IconName, title: string, path: string, count?: number])[] = [
    ['code', 'code', 'Code', ''],
    ...(repository.has_issues ? [['issues', 'circle-dot', 'Issues', 'issues', open.issues] as const] : []),
    ['pulls', 'pull', 'Pull requests', 'pulls', open.pulls],
    ['actions', 'play', 'Workflows', 'actions'],
    ['releases', 'tag', 'Releases', 'releases'],
    ['security', 'shield', 'Security', 'security'],
    ['insights', 'chart', 'Insights', 'graphs/contributors'],
    ...(canAdminister ? [['settings', 'settings', 'Settings', 'settings'] as const] : []),
  ];
  return html`<nav class="tabs" aria-label="Repository">${all.map(
    ([tab, name, title, path, count]) =>
      html`<a href="${path === '' ? repositoryPath(repository) : repositoryPath(repository, path)}"${attribute(
        'aria-current',
        tab === current && 'page',
      )}${attribute('data-shortcut', tabKeys[tab] && `g ${tabKeys[tab]}`)}>${icon(name)}${title}${countBadge(count)}</a>`,
  )}</nav>`;
}
