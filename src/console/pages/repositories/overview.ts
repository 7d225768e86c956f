import { pagePath } from '#console/components/address.ts';
import { copyButton } from '#console/components/copy.ts';
import { folderTable, readmePanel } from '#console/components/folder.ts';
import { counted, countText, emptyState } from '#console/components/lists.ts';
import { avatar } from '#console/components/person.ts';
import { refMenu, sourcePath } from '#console/components/source.ts';
import { timeAgo } from '#console/components/time.ts';
import { inRepository, repositoryPath, type ShownRepository } from '#console/frames/repository.ts';
import { type Found, type PageRequest, page, read, readOptional } from '#console/page.ts';
import { hueClass } from '#html/document.ts';
import { icon } from '#html/icons.ts';
import { html, type TrustedHtml } from '#html/template.ts';
import { getPages } from '#resources/actions/pages/endpoints.ts';
import { getOverview, getRefNames } from '#resources/code/source-pages/endpoints/folders.ts';
import { getLatestRelease } from '#resources/collaboration/releases/endpoints/releases.ts';

const reads = () => ({
  overview: read(getOverview),
  refs: read(getRefNames),
  release: readOptional(getLatestRelease),
});
const readsWebsite = () => ({ website: readOptional(getPages) });
type Shown = Found<ReturnType<typeof reads>> & {
  readonly repository: ShownRepository;
  readonly website?: Found<ReturnType<typeof readsWebsite>>['website'];
};

export const overviewPage = page({
  path: '/{owner}/{repo}',
  frame: inRepository('code'),
  reads,
  follows: ({ repository }) => (repository.has_pages ? readsWebsite() : {}),
  render(found, request) {
    const { repository } = found;
    const { description, full_name } = repository;
    return {
      title: description ? `${full_name}: ${description}` : full_name,
      ...(description === null ? {} : { description }),
      body: html`<h1 class="unseen">${full_name}</h1><div
class="split"><div>${filesOf(found, request)}</div>${side(found, request)}</div>`,
    };
  },
});

function filesOf({ repository, overview, refs }: Shown, request: PageRequest<unknown>): TrustedHtml {
  const { folder, commits } = overview;
  if (!folder) return howToPush(repository, request);
  const { ref } = folder;
  const history = html`<a class="row small keep" href="${sourcePath(repository, 'commits', ref)}">${icon('history')}${
    commits === 0 ? 'History' : counted(commits, 'commit')
  }</a>`;
  return html`<div class="heading">${refMenu({ repository, location: folder, refs, page: 'tree' })}
<a class="small soft" href="${repositoryPath(repository, 'branches')}">Branches</a>
<a class="small soft" href="${repositoryPath(repository, 'tags')}">Tags</a><span class="push"></span>
<a class="button" data-shortcut="t" href="${sourcePath(repository, 'find', ref)}">${icon('search')}Go to file</a>
${cloneMenu(repository, request, ref)}</div>
${folderTable(repository, folder, { request, more: history })}${readmePanel(repository, folder)}`;
}

/** How a repository is cloned: the name of each way, and its address or command. */
function waysToClone({ clone_url, ssh_url, full_name }: ShownRepository, { links }: PageRequest<unknown>) {
  return [
    [new URL(links.html).protocol === 'https:' ? 'HTTPS' : 'HTTP', clone_url],
    ...(links.ssh ? [['SSH', ssh_url] as const] : []),
    ['Command line', `gh repo clone ${new URL(links.html).host}/${full_name}`],
  ] as const;
}

function cloneMenu(repository: ShownRepository, request: PageRequest<unknown>, ref: string): TrustedHtml {
  const ways = waysToClone(repository, request).map(
    ([name, text]) =>
      html`<label>${name}<span class="row keep"><input readonly value="${text}">${copyButton(text, name)}</span></label>`,
  );
  const archive = (ending: string, title: string): TrustedHtml =>
    html`<a href="${pagePath(repository.full_name, 'archive', `${ref}.${ending}`)}" download
rel="nofollow">${icon('download')}${title}</a>`;
  return html`<details class="menu clone"><summary class="button first">${icon('download')}Clone</summary><div class="menu-items">
${ways}${archive('zip', 'Download as zip')}${archive('tar.gz', 'Download as tar.gz')}</div></details>`;
}

const nothingYet = emptyState({ icon: 'code', title: 'This repository is empty', hint: 'Its files will stand here.' });

function howToPush(repository: ShownRepository, request: PageRequest<unknown>): TrustedHtml {
  const { clone_url, default_branch, permissions, name } = repository;
  const address = request.links.ssh ? repository.ssh_url : clone_url;
  const branch = default_branch;
  if (permissions?.push !== true) return html`<section class="panel">${nothingYet}</section>`;
  const push = `git remote add origin ${address}\ngit push -u origin ${branch}`;
  const create = [
    `echo "# ${name}" > README.md`,
    `git init -b ${branch}`,
    'git add README.md',
    'git commit -m "First commit"',
    push,
  ].join('\n');
  const commands = (title: string, text: string): TrustedHtml =>
    html`<section class="body"><h2 class="row">${title}${copyButton(text, 'commands')}</h2><pre class="commands"
tabindex="0">${text}</pre></section>`;
  return html`<section class="panel"><header><h2>This repository is empty. Push something to it</h2></header>
<div class="body clone">${waysToClone(repository, request)
    .slice(0, -1)
    .map(
      ([way, text]) =>
        html`<label>${way}<span class="row keep"><input readonly value="${text}">${copyButton(text, way)}</span></label>`,
    )}</div>
${commands('From a new folder', create)}${commands('From a repository that you have', push)}</section>`;
}

function side(found: Shown, request: PageRequest<unknown>): TrustedHtml {
  const { repository, overview } = found;
  const { description, homepage, topics } = repository;
  const website = found.website?.html_url;
  const isWeb = homepage !== null && /^https?:\/\//i.test(homepage);
  return html`<aside class="side" aria-label="About"><section class="stack tight"><h2>About</h2>
<p dir="auto">${description || html`<span class="soft">No description yet</span>`}</p>${
    homepage
      ? html`<p class="row small keep">${icon('link')}${
          isWeb
            ? html`<a class="cut" rel="nofollow"
href="${homepage}">${withoutScheme(homepage)}</a>`
            : homepage
        }</p>`
      : ''
  }${
    website
      ? html`<p class="row small keep">${icon('external')}<a class="cut"
href="${website}">${withoutScheme(website)}</a></p>`
      : ''
  }${
    topics.length === 0
      ? ''
      : html`<p class="row topics">${topics.map(
          (topic) => html`<a class="topic"
href="/search?type=repositories&q=${encodeURIComponent(`topic:${topic}`)}">${topic}</a>`,
        )}</p>`
  }</section>${facts(repository, overview)}${release(found, request)}${languages(overview)}
${contributors(repository, overview)}</aside>`;
}

const withoutScheme = (address: string): string => address.replace(/^https?:\/\//i, '').replace(/\/$/, '');

function facts(repository: ShownRepository, { license_path, folder }: Shown['overview']): TrustedHtml {
  const { license, stargazers_count, subscribers_count, forks_count } = repository;
  const count = (
    name: Parameters<typeof icon>[0],
    number: number,
    [one, many]: readonly [string, string],
    path: string,
  ): TrustedHtml =>
    html`<li>${icon(name)}<a href="${repositoryPath(repository, path)}"><b>${countText(number)}</b>
${number === 1 ? one : many}</a></li>`;
  const name = license?.spdx_id && license.spdx_id !== 'NOASSERTION' ? license.spdx_id : 'Licence';
  return html`<section><ul class="facts-list">${
    license_path !== null && folder
      ? html`<li>${icon('law')}<a href="${sourcePath(repository, 'blob', folder.ref, license_path)}">${name}</a></li>`
      : ''
  }${count('star', stargazers_count, ['star', 'stars'], 'stargazers')}
${count('eye', subscribers_count, ['watching', 'watching'], 'watchers')}
${count('fork', forks_count, ['fork', 'forks'], 'forks')}</ul></section>`;
}

function release({ repository, release: latest }: Shown, { now }: PageRequest<unknown>): TrustedHtml {
  if (!latest) return html``;
  return html`<section><h2><a class="plain-link" href="${repositoryPath(repository, 'releases')}">Latest release</a></h2><p
class="row keep">${icon('tag')}
<a class="cut" href="${repositoryPath(repository, 'releases/tag', latest.tag_name)}"><b>${latest.name || latest.tag_name}</b></a>
<span class="soft small keep">${timeAgo(latest.published_at, now)}</span></p></section>`;
}

function languages({ languages: all }: Shown['overview']): TrustedHtml {
  if (all.length === 0) return html``;
  let from = 0;
  const bars = all.map(({ color, share }) => {
    const bar = html`<rect class="${hueClass(color)}" x="${from.toFixed(1)}" width="${share}" height="8"/>`;
    from += share;
    return bar;
  });
  return html`<section><h2>Languages</h2><svg class="languages" viewBox="0 0 100 8" preserveAspectRatio="none"
aria-hidden="true">${bars}</svg>
<ul class="row small">${all.map(
    ({ name, share, color }) => html`<li class="row keep"><span
class="dot ${hueClass(color)}"></span>${name} <span class="soft">${share}&#8201;%</span></li>`,
  )}</ul></section>`;
}

function contributors(repository: ShownRepository, { contributors: all }: Shown['overview']): TrustedHtml {
  if (all.length === 0) return html``;
  const people = all.map(
    (person) =>
      html`<a href="${pagePath(person.login)}" title="${person.login}" aria-label="${person.login}">${avatar(person, 28)}</a>`,
  );
  return html`<section><h2><a class="plain-link"
href="${repositoryPath(repository, 'graphs/contributors')}">Contributors</a></h2><p class="row">${people}</p></section>`;
}
