import type { PageRequest } from '#console/page.ts';
import { icon } from '#html/icons.ts';
import { html, type TrustedHtml } from '#html/template.ts';
import { pagePath } from './address.ts';
import { countText } from './lists.ts';
import { timeAgo } from './time.ts';

/** The fields of a repository that lists show. */
export type ListedRepository = {
  readonly full_name: string;
  readonly name: string;
  readonly description: string | null;
  readonly visibility: string;
  readonly archived: boolean;
  readonly fork: boolean;
  readonly language: string | null;
  readonly stargazers_count: number;
  readonly pushed_at: string | null;
};

type Shown = {
  /** Whether the name of the owner is shown. */
  readonly withOwner?: boolean;
  /** What stands at the end of the row. */
  readonly end?: (repository: ListedRepository) => TrustedHtml | string;
};

/** A list of repositories, one a row. */
export const repositoryList = (
  repositories: readonly ListedRepository[],
  { now }: Pick<PageRequest, 'now'>,
  { withOwner = false, end }: Shown = {},
): TrustedHtml =>
  html`<ul class="rows panel repositories">${repositories.map((repository) => {
    const { full_name, name, description, visibility, archived, fork, language, stargazers_count, pushed_at } = repository;
    return html`<li><div class="grow"><a class="title" href="${pagePath(full_name)}">${withOwner ? full_name : name}</a>${
      visibility === 'public' ? '' : html`<span class="badge">${icon('lock')}${visibility}</span>`
    }${archived ? html`<span class="badge">${icon('archive')}archived</span>` : ''}${
      fork ? html`<span class="badge">${icon('fork')}fork</span>` : ''
    }${description ? html`<p class="soft" dir="auto">${description}</p>` : ''}
<p class="row small soft">${language ? html`<span>${language}</span>` : ''}${
      stargazers_count > 0 ? html`<span>${icon('star')} ${countText(stargazers_count)}</span>` : ''
    }${pushed_at ? html`<span>Pushed ${timeAgo(pushed_at, now)}</span>` : html`<span>No pushes yet</span>`}</p></div>${
      end ? html`<span class="soft small">${end(repository)}</span>` : ''
    }</li>`;
  })}</ul>`;
