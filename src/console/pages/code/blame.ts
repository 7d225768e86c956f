import { pagePath } from '#console/components/address.ts';
import { emptyState } from '#console/components/lists.ts';
import { avatar } from '#console/components/person.ts';
import { pathLinks, refMenu, sizeText, sourcePath, titleOf } from '#console/components/source.ts';
import { codeBlock } from '#console/components/text.ts';
import { timeAgo } from '#console/components/time.ts';
import { inRepository, type ShownRepository } from '#console/frames/repository.ts';
import { type Found, type PageRequest, page, read } from '#console/page.ts';
import { html, type TrustedHtml } from '#html/template.ts';
import { getBlame } from '#resources/code/source-pages/endpoints/blame.ts';
import { getRefNames } from '#resources/code/source-pages/endpoints/folders.ts';
import { lineOf, linePager } from './blob.ts';

const reads = ({ query }: PageRequest<unknown>) => ({
  blame: read(getBlame, { query: { line: lineOf(query.line) } }),
  refs: read(getRefNames),
});
type ShownBlame = Found<ReturnType<typeof reads>>['blame'];

export const blamePage = page({
  path: '/{owner}/{repo}/blame/{path*}',
  frame: inRepository('code'),
  reads,
  render({ repository, blame, refs }, request) {
    const { ref, sha, path, type, size } = blame;
    if (type === 'dir') return { redirect: sourcePath(repository, 'tree', ref, path) };
    return {
      title: `Blame of ${path} · ${repository.full_name}`,
      body: html`<h1 class="unseen">Blame of ${path}</h1><div
class="heading">${refMenu({ repository, location: blame, refs, page: 'blame' })}
${pathLinks(repository, blame)}</div><section class="panel file"><header><span
class="soft small">The last commit of each line · ${sizeText(size)}</span>
<span class="push row small"><a href="${sourcePath(repository, 'blob', ref, path)}">File</a><a
href="${sourcePath(repository, 'raw', ref, path)}">Raw</a>
<a href="${sourcePath(repository, 'commits', ref, path)}">History</a>
<a data-shortcut="y" data-keeps-lines href="${sourcePath(repository, 'blame', sha, path)}">Permanent link</a></span></header>
${parts(repository, blame, request)}</section>`,
    };
  },
});

const problems = {
  binary: 'This file isn’t text',
  large: 'This file is too large for that',
  slow: 'Finding these commits takes too long',
} as const;

function parts(repository: ShownRepository, blame: ShownBlame, request: PageRequest<unknown>): TrustedHtml {
  const { parts: all, problem, type } = blame;
  if (type !== 'file') return emptyState({ icon: 'file', title: 'This has no lines' });
  if (problem !== null) return emptyState({ icon: 'file', title: problems[problem], hint: 'Its history is shown all the same.' });
  const [first] = all;
  const last = all.at(-1);
  if (!first || !last) return emptyState({ icon: 'file', title: 'This file is empty' });
  const range = { ...blame, from: first.from, to: last.from + last.lines.length - 1 };
  return html`<div class="blame" data-lines="${blame.total}" data-from="${first.from}">${all.map(
    ({ commit, from, lines }) => html`<div class="part"><div class="row keep small"
title="${commit.author?.login ?? commit.author_name}">${commit.author ? avatar(commit.author) : ''}<a class="cut grow"
href="${pagePath(
      repository.full_name,
      'commit',
      commit.sha,
    )}">${titleOf(commit)}</a><span class="soft">${timeAgo(commit.date, request.now)}</span></div>
${codeBlock({ from, lines, label: `Lines from ${from}` })}</div>`,
  )}</div>${linePager(request.address, range)}`;
}
