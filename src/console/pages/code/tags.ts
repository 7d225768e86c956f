import { commitLink, subjectOf } from '#console/components/commit.ts';
import { emptyState, pager } from '#console/components/lists.ts';
import { middleCut } from '#console/components/text.ts';
import { timeAgo } from '#console/components/time.ts';
import { inRepository, repositoryPath, type ShownRepository } from '#console/frames/repository.ts';
import { type Found, type PageRequest, page, read, readOptional } from '#console/page.ts';
import { icon } from '#html/icons.ts';
import { html, type TrustedHtml } from '#html/template.ts';
import { keyed } from '#lib/collections.ts';
import { showTags } from '#resources/code/git-data/endpoints/pages.ts';
import { listReleasesOfTags } from '#resources/collaboration/releases/endpoints/pages.ts';
import { refFilter, refTabs } from './ref-lists.ts';

const perPage = 30;

const readTags = ({ query }: PageRequest) => read(showTags, { query: { per_page: perPage, page: query.page, q: query.q } });
const readReleases = (names: readonly string[]) => readOptional(listReleasesOfTags, { query: { tags: names.join(':') } });
type Tag = Found<{ list: ReturnType<typeof readTags> }>['list'][number];
type ReleaseOfTag = NonNullable<Found<{ list: ReturnType<typeof readReleases> }>['list']>[number];

export const tagsPage = page({
  path: '/{owner}/{repo}/tags',
  frame: inRepository('code'),
  reads: (request) => ({ tags: readTags(request) }),
  follows: ({ tags }) => ({ releases: readReleases(tags.map(({ name }) => name)) }),
  render({ tags, releases = [], repository }, request, { tags: position }) {
    const releaseOf = keyed(releases, ({ tag_name }) => tag_name);
    return {
      title: `Tags · ${repository.full_name}`,
      body: html`${refTabs(repository, 'tags')}${refFilter(repository, 'tags', request)}${
        tags.length === 0
          ? emptyState({
              icon: 'tag',
              title: request.query.q ? 'No tag has such a name' : 'There are no tags yet',
              hint: request.query.q
                ? 'Try fewer letters.'
                : html`A tag names a version: <code>git tag v1.0.0 && git push origin v1.0.0</code>`,
            })
          : html`<ul class="rows panel">${tags.map((tag) => tagRow(tag, releaseOf.get(tag.name), repository, request.now))}</ul>`
      }${pager(request, { position, perPage })}`,
    };
  },
});

function tagRow(tag: Tag, release: ReleaseOfTag | undefined, repository: ShownRepository, now: Date): TrustedHtml {
  const { name, sha, is_commit, date, message } = tag;
  const download = (kind: 'zip' | 'tar.gz'): TrustedHtml =>
    html`<a href="${repositoryPath(repository, 'archive/refs/tags', `${name}.${kind}`)}"
rel="nofollow">${icon('download')}${kind}<span
class="unseen"> of ${name}</span></a>`;
  return html`<li><div class="grow"><a class="title"
href="${repositoryPath(repository, 'tree', name)}">${icon('tag')} ${middleCut(name)}</a>
${message === null || message === '' ? '' : html`<p class="soft cut" dir="auto">${subjectOf(message)}</p>`}
<p class="row soft small">${
    is_commit
      ? commitLink(repository, sha)
      : html`<span
class="sha">${sha.slice(0, 7)}</span>`
  }${timeAgo(date, now)}
${is_commit ? html`${download('zip')}${download('tar.gz')}` : ''}</p></div>${
    release
      ? html`<a class="badge"
href="${repositoryPath(repository, 'releases/tag', name)}">${icon('package')}
${release.prerelease ? 'Pre-release' : 'Release'}<span
class="unseen"> ${release.name ?? name}</span></a>`
      : ''
  }</li>`;
}
