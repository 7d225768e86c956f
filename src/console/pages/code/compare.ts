import { pagePath } from '#console/components/address.ts';
import { shortSha } from '#console/components/commit.ts';
import { commitRows } from '#console/components/commit-rows.ts';
import { diffView } from '#console/components/diff.ts';
import { counted, emptyState } from '#console/components/lists.ts';
import { inRepository, repositoryPath, type ShownRepository } from '#console/frames/repository.ts';
import { page, read } from '#console/page.ts';
import { icon } from '#html/icons.ts';
import { html, type TrustedHtml } from '#html/template.ts';
import { showComparison } from '#resources/code/commits/page-endpoints.ts';
import { diffQueryOf, filesOnPage } from './diff-query.ts';

/** The two sides of `base...head`; a name alone is compared with the default branch. */
function sidesOf(basehead: string): { base: string | undefined; head: string } {
  const at = basehead.indexOf('...');
  return at < 0 ? { base: undefined, head: basehead } : { base: basehead.slice(0, at), head: basehead.slice(at + 3) };
}

/** The form that chooses what is compared. */
const chooser = (repository: ShownRepository, { base, head }: { base: string; head: string }): TrustedHtml =>
  html`<form class="row" action="${repositoryPath(repository, 'compare')}"><label class="row">Base
<input name="base" value="${base}" required autocomplete="off" spellcheck="false"></label>
<label class="row">Compare <input name="head" value="${head}" required autocomplete="off" spellcheck="false"></label>
<button>Compare</button></form>`;

export const chooseComparisonPage = page({
  path: '/{owner}/{repo}/compare',
  frame: inRepository('code'),
  render({ repository }, { query: { base = repository.default_branch, head = '' } }) {
    if (head !== '') return { redirect: repositoryPath(repository, 'compare', `${base}...${head}`) };
    return {
      title: `Compare · ${repository.full_name}`,
      body: html`<h1>Compare changes</h1><p class="soft">Choose two branches, tags or commits.
A branch of a fork is named with its owner, such as <code>ada:feature</code>.</p>${chooser(repository, { base, head })}`,
    };
  },
});

export const comparePage = page({
  path: '/{owner}/{repo}/compare/{basehead*}',
  frame: inRepository('code'),
  follows: ({ repository }, { words, query }) => {
    const { base = repository.default_branch, head } = sidesOf(words.basehead);
    return { comparison: read(showComparison, { words: { basehead: `${base}...${head}` }, query: diffQueryOf(query) }) };
  },
  render({ repository, comparison }, request) {
    const { base = repository.default_branch, head } = sidesOf(request.words.basehead);
    const { status, commits, ahead_by, behind_by, diff } = comparison;
    const path = repositoryPath(repository, 'compare', `${base}...${head}`);
    const distance = `${counted(ahead_by, 'commit')} ahead, ${counted(behind_by, 'commit')} behind`;
    const pull = repositoryPath(repository, 'compare', `${comparison.base.sha}...${comparison.head.sha}`);
    return {
      title: `Comparing ${base}...${head} · ${repository.full_name}`,
      body: html`<div class="heading"><h1>Compare changes</h1><span class="row push"><a href="${path}.diff">Diff</a>
<a href="${path}.patch">Patch</a><a href="${pull}"
title="The same two commits, wherever the branches go">Permanent link</a></span></div>
${chooser(repository, { base, head })}
<p class="row compare-summary"><code>${base}</code>${commitOf(comparison.base)} …
<code>${head}</code>${commitOf(comparison.head)}
<span class="soft">${status === null ? '' : distance}</span></p>
${
  status === null
    ? emptyState({
        icon: 'branch',
        title: 'These histories have no commit in common',
        hint: 'There is nothing to compare them by.',
      })
    : html`${
        commits.length === 0
          ? emptyState({
              icon: 'commit',
              title: `${head} has no commits that ${base} lacks`,
              hint:
                behind_by > 0
                  ? html`Compare them <a class="inline" href="${swapped(repository, base, head)}">the other way round</a>.`
                  : 'Both are the same commit.',
            })
          : html`<h2>${counted(ahead_by, 'commit')}</h2>${
              ahead_by > commits.length
                ? html`<p
class="soft">The latest ${commits.length} are shown.</p>`
                : ''
            }
${commitRows(commits, { full_name: comparison.head.repository }, request.now)}`
      }${
        diff && (diff.changed_files > 0 || commits.length > 0)
          ? diffView({
              diff,
              request,
              perPage: filesOnPage,
              repositories: { base: `/${comparison.base.repository}`, head: `/${comparison.head.repository}` },
            })
          : ''
      }`
}`,
    };
  },
});

const swapped = (repository: ShownRepository, base: string, head: string): string =>
  repositoryPath(repository, 'compare', `${head}...${base}`);

const commitOf = ({ sha, repository }: { readonly sha: string; readonly repository: string }): TrustedHtml =>
  html`<a class="sha" href="${pagePath(repository, 'commit', sha)}">${icon('commit')}${shortSha(sha)}</a>`;
