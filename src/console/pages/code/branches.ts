import { authorOf, subjectOf } from '#console/components/commit.ts';
import { counted, emptyState, pager } from '#console/components/lists.ts';
import { middleCut } from '#console/components/text.ts';
import { timeAgo } from '#console/components/time.ts';
import { pullStateBadge } from '#console/frames/pull.ts';
import { inRepository, repositoryPath, type ShownRepository } from '#console/frames/repository.ts';
import { type Found, type PageRequest, page, read, readOptional } from '#console/page.ts';
import { icon } from '#html/icons.ts';
import { html, type TrustedHtml } from '#html/template.ts';
import { keyed } from '#lib/collections.ts';
import { showBranches } from '#resources/code/branches/page-endpoints.ts';
import { listPullsOfBranches } from '#resources/collaboration/pulls/endpoints/pages.ts';
import { refFilter, refTabs } from './ref-lists.ts';

const perPage = 30;

const readBranches = ({ query }: PageRequest) =>
  read(showBranches, { query: { per_page: perPage, page: query.page, q: query.q } });
const readPulls = (names: readonly string[]) => readOptional(listPullsOfBranches, { query: { branches: names.join(':') } });
type Branch = Found<{ list: ReturnType<typeof readBranches> }>['list'][number];
type PullOfBranch = NonNullable<Found<{ list: ReturnType<typeof readPulls> }>['list']>[number];

export const branchesPage = page({
  path: '/{owner}/{repo}/branches',
  frame: inRepository('code'),
  reads: (request) => ({ branches: readBranches(request) }),
  follows: ({ branches }) => ({ pulls: readPulls(branches.map(({ name }) => name)) }),
  render({ branches, pulls = [], repository }, request, { branches: position }) {
    const pullOf = keyed(pulls, ({ branch }) => branch);
    return {
      title: `Branches · ${repository.full_name}`,
      body: html`${refTabs(repository, 'branches')}${refFilter(repository, 'branches', request)}${
        branches.length === 0
          ? nothing(repository, request)
          : html`<table class="rows panel ref-rows"><thead class="unseen"><tr><th>Branch</th><th>Last commit</th>
<th>Behind and ahead</th><th>Pull request</th></tr></thead><tbody>${branches.map((branch) =>
              branchRow(branch, pullOf.get(branch.name), repository, request.now),
            )}</tbody></table>`
      }${pager(request, { position, perPage })}`,
    };
  },
});

const nothing = ({ default_branch }: ShownRepository, { query }: PageRequest<unknown>): TrustedHtml =>
  query.q
    ? emptyState({ icon: 'branch', title: 'No branch has such a name', hint: 'Try fewer letters.' })
    : emptyState({
        icon: 'branch',
        title: 'There are no branches yet',
        hint: html`Push a commit to <code>${default_branch}</code> to begin.`,
      });

function branchRow(branch: Branch, pull: PullOfBranch | undefined, repository: ShownRepository, now: Date): TrustedHtml {
  const { name, commit } = branch;
  const isDefault = name === repository.default_branch;
  const path = repositoryPath(repository, 'tree', name);
  const compare = isDefault ? '' : compareLink(name, repository);
  return html`<tr><th scope="row"><a class="title" href="${path}">${icon('branch')} ${middleCut(name)}</a>${
    isDefault ? html`<span class="badge">default</span>` : ''
  }${branch.protected ? html`<span class="badge">${icon('shield')}protected</span>` : ''}</th>
<td class="small"><a class="cut"
href="${repositoryPath(repository, 'commit', commit.sha)}" dir="auto">${subjectOf(commit.commit.message)}</a>
<span class="row soft">${authorOf(commit.author, commit.commit.author.name)}
${timeAgo(commit.commit.committer.date, now)}</span></td>
<td>${isDefault ? '' : distance(branch, repository)}</td><td>${pull ? pullLink(pull, repository) : compare}</td></tr>`;
}

function distance({ name, ahead_by, behind_by }: Branch, repository: ShownRepository): TrustedHtml {
  if (ahead_by === null || behind_by === null) return html`<span class="soft small">Far from the default branch</span>`;
  const path = repositoryPath(repository, 'compare', `${repository.default_branch}...${name}`);
  return html`<a class="bar-counts" href="${path}" title="${counted(behind_by, 'commit')} behind ${repository.default_branch},
${counted(ahead_by, 'commit')} ahead of it"><span>${behind_by}<span class="unseen"> behind</span></span>
<span>${ahead_by}<span class="unseen"> ahead</span></span></a>`;
}

const pullLink = (pull: PullOfBranch, repository: ShownRepository): TrustedHtml =>
  html`<a class="row" href="${repositoryPath(repository, 'pull', pull.number)}"
title="${pull.title}">${pullStateBadge(pull)}#${pull.number}</a>`;

const compareLink = (name: string, repository: ShownRepository): TrustedHtml =>
  html`<a class="small" href="${repositoryPath(repository, 'compare', `${repository.default_branch}...${name}`)}">Compare<span
class="unseen"> ${name}</span></a>`;
