import { commitRows } from '#console/components/commit-rows.ts';
import { pager } from '#console/components/lists.ts';
import { inPull } from '#console/frames/pull.ts';
import { page, read } from '#console/page.ts';
import { html } from '#html/template.ts';
import { listPullCommits } from '#resources/collaboration/pulls/endpoints/contents.ts';

const perPage = 100;

export const pullCommitsPage = page({
  path: '/{owner}/{repo}/pull/{pull_number}/commits',
  frame: inPull('commits'),
  reads: ({ query }) => ({ commits: read(listPullCommits, { query: { per_page: perPage, page: query.page } }) }),
  render: ({ repository, pull, commits }, request, { commits: position }) => ({
    title: `Commits · ${pull.title} · #${pull.number}`,
    body: html`${commitRows(commits, repository, request.now)}${pager(request, { position, perPage })}`,
  }),
});
