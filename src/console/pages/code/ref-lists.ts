// What the lists of branches and tags share.
import { repositoryPath, type ShownRepository } from '#console/frames/repository.ts';
import type { PageRequest } from '#console/page.ts';
import { type IconName, icon } from '#html/icons.ts';
import { attribute, html, type TrustedHtml } from '#html/template.ts';

type RefList = 'branches' | 'tags';

const lists: readonly (readonly [list: RefList, title: string, shape: IconName])[] = [
  ['branches', 'Branches', 'branch'],
  ['tags', 'Tags', 'tag'],
];

/** The heading of a list, and the way to the other one. */
export const refTabs = (repository: ShownRepository, current: RefList): TrustedHtml =>
  html`<h1 class="unseen">${current === 'branches' ? 'Branches' : 'Tags'}</h1><nav class="tabs inner"
aria-label="Refs">${lists.map(
    ([list, title, shape]) =>
      html`<a href="${repositoryPath(repository, list)}"${attribute('aria-current', list === current && 'page')}>
${icon(shape)}${title}</a>`,
  )}</nav>`;

/** The form that filters a list by a part of the names. */
export const refFilter = (repository: ShownRepository, list: RefList, { query }: PageRequest<unknown>): TrustedHtml =>
  html`<form class="row ref-filter" action="${repositoryPath(repository, list)}"><label><span
class="unseen">Part of the name</span>
<input name="q" value="${query.q}" placeholder="Filter by name" autocomplete="off"
spellcheck="false"></label><button>Filter</button></form>`;
