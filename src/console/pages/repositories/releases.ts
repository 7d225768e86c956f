import { localAddress } from '#console/components/address.ts';
import { counted, emptyState, pager } from '#console/components/lists.ts';
import { personLink } from '#console/components/person.ts';
import { sizeText } from '#console/components/size.ts';
import { rendered } from '#console/components/text.ts';
import { timeAgo } from '#console/components/time.ts';
import { inRepository, repositoryPath, type ShownRepository } from '#console/frames/repository.ts';
import { type Found, type PageRequest, page, read } from '#console/page.ts';
import { icon } from '#html/icons.ts';
import { html, type TrustedHtml } from '#html/template.ts';
import {
  getLatestRelease,
  getRelease,
  getReleaseByTag,
  listRepoReleases,
} from '#resources/collaboration/releases/endpoints/releases.ts';

const perPage = 10;

type ShownRelease = Found<{ release: ReturnType<typeof readRelease> }>['release'];
const readRelease = () => read(getReleaseByTag, { media: 'html' });

type Shown = { readonly repository: ShownRepository; readonly request: PageRequest<unknown>; readonly heading: 1 | 2 };

function releaseView(release: ShownRelease, { repository, request, heading }: Shown): TrustedHtml {
  const { name, tag_name: tag, html_url, author, published_at, created_at, draft, prerelease, immutable, assets } = release;
  const title = html`<a href="${localAddress(html_url, request.links.html)}" dir="auto">${name || tag}</a>`;
  const marks = [
    draft && html`<span class="badge">${icon('draft')}draft</span>`,
    prerelease && html`<span class="badge">pre-release</span>`,
    immutable && html`<span class="badge" title="Its tag and files can’t be changed">${icon('lock')}immutable</span>`,
  ];
  return html`<article
class="panel release"><header>${heading === 1 ? html`<h1>${title}</h1>` : html`<h2>${title}</h2>`}${marks}</header>
<p class="body soft small row">${
    draft
      ? html`<span>${icon('tag')} ${tag}</span>`
      : html`<a
href="${repositoryPath(repository, 'tree', tag)}">${icon('tag')} ${tag}</a>`
  }
<span>${personLink(author)} ${published_at === null ? 'wrote it' : 'released it'}
${timeAgo(published_at ?? created_at, request.now)}</span></p>
${rendered(release.body_html)}
${assetList(assets, { release, repository })}</article>`;
}

function assetList(
  assets: ShownRelease['assets'],
  { release, repository }: { release: ShownRelease; repository: ShownRepository },
): TrustedHtml {
  const rows = assets.map(
    ({ name, label, browser_download_url, size, download_count, digest }) => html`<tr><td><a href="${browser_download_url}"
 title="${name}" dir="auto">${label || name}</a></td><td class="soft">${sizeText(size)}</td><td
class="soft">${counted(download_count, 'download')}</td>
<td class="soft cut"><code title="${digest ?? ''}">${digest === null ? '' : shortDigest(digest)}</code></td></tr>`,
  );
  const archive = (ending: string) => repositoryPath(repository, 'archive', `refs/tags/${release.tag_name}.${ending}`);
  const source = release.draft
    ? ''
    : html`<p class="body row small"><span class="soft">Source code:</span><a href="${archive('zip')}">zip</a>
<a href="${archive('tar.gz')}">tar.gz</a></p>`;
  const files = html`<table class="rows cells"><caption class="unseen">Files of the release</caption>
<thead class="unseen"><tr><th scope="col">File</th><th scope="col">Size</th><th scope="col">Downloads</th><th
scope="col">Digest</th></tr></thead>
<tbody>${rows}</tbody></table>`;
  return html`${assets.length === 0 ? '' : files}${source}`;
}

const shortDigest = (digest: string): string => (digest.length > 26 ? `${digest.slice(0, 25)}…` : digest);

export const releasesPage = page({
  path: '/{owner}/{repo}/releases',
  frame: inRepository('releases'),
  reads: ({ query }) => ({
    releases: read(listRepoReleases, { media: 'html', query: { per_page: perPage, page: query.page } }),
  }),
  render({ releases, repository }, request, { releases: position }) {
    const empty = emptyState({
      icon: 'tag',
      title: 'Releases will be listed here, with their notes and files.',
      hint: html`A release belongs to a tag. <a href="${repositoryPath(repository, 'tags')}">Look at the tags</a>, or make one by
<code>POST /repos/${repository.full_name}/releases</code>.`,
    });
    const rows = releases.map((release) => releaseView(release, { repository, request, heading: 2 }));
    return {
      title: `Releases · ${repository.full_name}`,
      body: html`<div class="heading"><h1>Releases</h1><a class="push" href="${repositoryPath(repository, 'tags')}">Tags</a></div>
${rows.length === 0 ? empty : rows}${pager(request, { position, perPage })}`,
    };
  },
});

/** Drafts have no tag of their own yet, so that their addresses have their ids. */
const draftId = (word: string): string | undefined => /^untagged-(\d{1,15})$/.exec(word)?.[1];

export const releasePage = page({
  path: '/{owner}/{repo}/releases/tag/{tag*}',
  frame: inRepository('releases'),
  reads: ({ words: { tag } }) =>
    draftId(tag) === undefined
      ? { release: read(getReleaseByTag, { media: 'html' }) }
      : { release: read(getRelease, { media: 'html', words: { release_id: draftId(tag) } }) },
  render: ({ release, repository }, request) => ({
    title: `${release.name || release.tag_name} · ${repository.full_name}`,
    body: html`<p class="soft small"><a href="${repositoryPath(repository, 'releases')}">All releases</a></p>
${releaseView(release, { repository, request, heading: 1 })}`,
  }),
});

/** Leads to a release: the latest one, or the one that a notification names by its id. */
export const latestReleasePage = page({
  path: '/{owner}/{repo}/releases/latest',
  frame: inRepository('releases'),
  reads: () => ({ release: read(getLatestRelease) }),
  render: ({ release }, { links }) => ({ redirect: localAddress(release.html_url, links.html) }),
});

export const releaseByIdPage = page({
  path: '/{owner}/{repo}/releases/{release_id}',
  frame: inRepository('releases'),
  reads: () => ({ release: read(getRelease) }),
  render: ({ release }, { links }) => ({ redirect: localAddress(release.html_url, links.html) }),
});
