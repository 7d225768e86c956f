import { authorOf, commitLink, subjectOf, textOf, verificationBadge } from '#console/components/commit.ts';
import { diffView } from '#console/components/diff.ts';
import { type InlineComment, inlineThread } from '#console/components/diff-comments.ts';
import { type DiffThreads, diffAnchor } from '#console/components/diff-parts.ts';
import { counted } from '#console/components/lists.ts';
import { middleCut } from '#console/components/text.ts';
import { timeAgo } from '#console/components/time.ts';
import { inRepository, repositoryPath, type ShownRepository } from '#console/frames/repository.ts';
import { type PageRequest, page, read, readOptional } from '#console/page.ts';
import { type IconName, icon } from '#html/icons.ts';
import { html, joined, type TrustedHtml } from '#html/template.ts';
import { listCheckRunsForRef } from '#resources/code/checks/endpoints/runs.ts';
import { getCombinedStatus } from '#resources/code/commit-statuses/endpoints.ts';
import type { Commit, Diff } from '#resources/code/commits/index.ts';
import { showCommit, showContaining } from '#resources/code/commits/page-endpoints.ts';
import { listCommentsOfCommit } from '#resources/collaboration/commit-comments/endpoints.ts';
import { diffQueryOf, filesOnPage } from './diff-query.ts';

/** So many comments are shown. */
const perPage = 100;

export const commitPage = page({
  path: '/{owner}/{repo}/commit/{sha}',
  frame: inRepository('code'),
  reads: ({ words, query }) => ({
    shown: read(showCommit, { words: { ref: words.sha }, query: diffQueryOf(query) }),
    containing: readOptional(showContaining, { words: { commit_sha: words.sha } }),
    comments: readOptional(listCommentsOfCommit, {
      words: { commit_sha: words.sha },
      media: 'html',
      query: { per_page: perPage },
    }),
    status: readOptional(getCombinedStatus, { words: { ref: words.sha }, query: { per_page: perPage } }),
    runs: readOptional(listCheckRunsForRef, { words: { ref: words.sha }, query: { per_page: perPage } }),
  }),
  render({ shown: { commit, diff }, repository, comments = [], containing, status, runs }, request) {
    const { message, verification, author } = commit.commit;
    const path = repositoryPath(repository);
    const [inLines, below] = partitioned(comments, diff);
    const body = textOf(message);
    return {
      title: `${subjectOf(message)} · ${repository.full_name}@${commit.sha.slice(0, 7)}`,
      body: html`<section class="panel"><header><h1 dir="auto">${subjectOf(message)}</h1>
<a class="button push" href="${repositoryPath(repository, 'tree', commit.sha)}">${icon('code')}Browse files</a></header>
${body === '' ? '' : html`<p class="commit-message" dir="auto">${body}</p>`}
<div class="commit-facts"><span class="row">${authorOf(commit.author, author.name)}<span class="soft">wrote this
${timeAgo(author.date, request.now)}</span></span>${committerOf(commit, request)}${verificationBadge(verification)}</div>
<div class="commit-facts"><span class="row soft">${counted(commit.parents.length, 'parent')}${joined(
        commit.parents.map(({ sha }) => commitLink(repository, sha)),
        ' + ',
      )}</span><span class="row soft">commit <span class="sha">${commit.sha}</span></span>
<span class="row push"><a href="${path}/commit/${commit.sha}.diff">Diff</a><a
href="${path}/commit/${commit.sha}.patch">Patch</a></span></div>
${containing ? refs(repository, containing) : ''}${checks(repository, commit.sha, { status, runs })}</section>
${
  commit.parents.length > 1
    ? html`<p
class="notice">This commit merges ${counted(commit.parents.length, 'parent')}. Its changes from the first are shown.</p>`
    : ''
}
${diffView({
  diff,
  request,
  perPage: filesOnPage,
  repositories: { base: path, head: path },
  threads: threadsOf(inLines, request),
})}${belowDiff(below, request)}`,
    };
  },
});

type ShownComment = InlineComment & {
  readonly path: string | null;
  readonly position: number | null;
  readonly line: number | null;
};

const anchorOf = ({ id }: InlineComment): string => `commitcomment-${id}`;

/** The comments whose lines are shown, by the keys of the lines, and the others. */
function partitioned(comments: readonly ShownComment[], diff: Diff): [Map<string, ShownComment[]>, ShownComment[]] {
  const shown = new Set(
    diff.files.flatMap(({ path, rows = [] }) =>
      rows.flatMap(({ kind, position, right }) =>
        kind === 'hunk' ? [] : [keyOf(path, 'position', position), keyOf(path, 'line', kind === 'removed' ? undefined : right)],
      ),
    ),
  );
  const inLines = new Map<string, ShownComment[]>();
  const others: ShownComment[] = [];
  for (const comment of comments) {
    const { path, position, line } = comment;
    const key = position === null ? keyOf(path ?? '', 'line', line ?? undefined) : keyOf(path ?? '', 'position', position);
    if (path !== null && (position ?? line) !== null && shown.has(key)) inLines.set(key, [...(inLines.get(key) ?? []), comment]);
    else others.push(comment);
  }
  return [inLines, others];
}

const keyOf = (path: string, by: 'position' | 'line', number: number | undefined): string => `${by} ${number} ${path}`;

const threadsOf = (inLines: ReadonlyMap<string, readonly ShownComment[]>, { now }: PageRequest<unknown>): DiffThreads => ({
  ofRow(path, { kind, position, right }) {
    if (inLines.size === 0) return undefined;
    const byPosition = inLines.get(keyOf(path, 'position', position)) ?? [];
    const byLine = kind === 'removed' ? [] : (inLines.get(keyOf(path, 'line', right)) ?? []);
    const comments = [...byPosition, ...byLine];
    return comments.length === 0 ? undefined : inlineThread({ comments, anchorOf }, now);
  },
});

/** Comments on the whole commit, and those whose lines aren't shown. */
function belowDiff(comments: readonly ShownComment[], { now }: PageRequest<unknown>): TrustedHtml {
  if (comments.length === 0) return html``;
  return html`<section class="stack" aria-label="Comments"><h2>${counted(comments.length, 'comment')}</h2>${comments.map(
    (comment) =>
      html`<div>${
        comment.path === null
          ? ''
          : html`<p class="soft small">On <a class="inline"
href="#${diffAnchor(comment.path)}">${middleCut(comment.path)}</a></p>`
      }
${inlineThread({ comments: [comment], anchorOf }, now)}</div>`,
  )}</section>`;
}

function committerOf({ commit: { author, committer }, ...accounts }: Commit, { now }: PageRequest<unknown>): TrustedHtml {
  if (author.email === committer.email && author.name === committer.name) return html``;
  return html`<span class="row">${authorOf(accounts.committer, committer.name)}<span class="soft">committed it
${timeAgo(committer.date, now)}</span></span>`;
}

type Names = { readonly names: readonly string[]; readonly is_complete: boolean };

function refs(repository: ShownRepository, { branches, tags }: { readonly branches: Names; readonly tags: Names }): TrustedHtml {
  if (branches.names.length + tags.names.length === 0)
    return html`<p class="commit-refs soft small">No branch or tag contains this commit.</p>`;
  const linked = (name: string, shape: IconName): TrustedHtml =>
    html`<a class="badge" href="${repositoryPath(repository, 'tree', name)}">${icon(shape)}${middleCut(name, 40)}</a>`;
  const rest = branches.is_complete && tags.is_complete ? '' : html`<span class="soft small">and others</span>`;
  return html`<p class="commit-refs"><span
class="soft small">Contained in</span>${branches.names.map((name) => linked(name, 'branch'))}
${tags.names.map((name) => linked(name, 'tag'))}${rest}</p>`;
}

type FoundChecks = {
  readonly status: { readonly statuses: readonly { readonly state: string }[]; readonly total_count: number } | undefined;
  readonly runs:
    | {
        readonly total_count: number;
        readonly check_runs: readonly { readonly status: string; readonly conclusion: string | null }[];
      }
    | undefined;
};

const passing = new Set(['success', 'neutral', 'skipped']);

/** How many checks of a commit passed, failed and go on. */
function checks(repository: ShownRepository, sha: string, { status, runs }: FoundChecks): TrustedHtml {
  const results = [
    ...(status?.statuses ?? []).map(({ state }) => state),
    ...(runs?.check_runs ?? []).map((run) => (run.status === 'completed' ? (run.conclusion ?? 'neutral') : 'pending')),
  ];
  if (results.length === 0) return html``;
  const passed = results.filter((result) => passing.has(result)).length;
  const waiting = results.filter((result) => result === 'pending').length;
  const failed = results.length - passed - waiting;
  const word = (count: number, name: IconName, className: string, text: string): TrustedHtml =>
    count === 0 ? html`` : html`<span class="row ${className}">${icon(name)}${count} ${text}</span>`;
  const total = (status?.total_count ?? 0) + (runs?.total_count ?? 0);
  return html`<p class="commit-facts"><a
href="${repositoryPath(repository, 'actions')}?head_sha=${sha}">${counted(total, 'check')}</a>
${word(failed, 'circle-x', 'bad', 'failed')}${word(waiting, 'clock', 'wait', 'waiting')}
${word(passed, 'circle-check', 'ok', 'passed')}</p>`;
}
