import { diffView } from '#console/components/diff.ts';
import { inlineThread } from '#console/components/diff-comments.ts';
import type { DiffThreads, ShownRow } from '#console/components/diff-parts.ts';
import { counted } from '#console/components/lists.ts';
import { inPull, pullPath } from '#console/frames/pull.ts';
import { repositoryPath } from '#console/frames/repository.ts';
import { type Found, page, read, readOptional } from '#console/page.ts';
import { html, type Insertable, type TrustedHtml } from '#html/template.ts';
import { grouped } from '#lib/collections.ts';
import type { Diff } from '#resources/code/commits/index.ts';
import { showPullDiff } from '#resources/collaboration/pulls/endpoints/pages.ts';
import { listPullThreads } from '#resources/collaboration/reviews/endpoints/pages.ts';
import { diffQueryOf, filesOnPage } from './diff-query.ts';

const readThreads = readOptional(listPullThreads, { media: 'html' });
type Threads = NonNullable<Found<{ threads: typeof readThreads }>['threads']>['threads'];
type Thread = Threads[number];

export const pullFilesPage = page({
  path: '/{owner}/{repo}/pull/{pull_number}/files',
  frame: inPull('files'),
  reads: ({ query }) => ({ diff: read(showPullDiff, { query: diffQueryOf(query) }), found: readThreads }),
  render({ repository, pull, open, diff, found }, request) {
    const threads = found?.threads ?? [];
    const count = threads.reduce((sum, { comments }) => sum + comments.length, 0);
    const head = pull.head.repo ? `/${pull.head.repo.full_name}` : repositoryPath(repository);
    const shown = arranged(threads, diff, request.now);
    const path = pullPath({ repository, pull, open });
    return {
      title: `Files · ${pull.title} · #${pull.number}`,
      body: html`${diffView({
        diff,
        request,
        perPage: filesOnPage,
        repositories: { base: repositoryPath(repository), head },
        threads: shown.threads,
      })}${shown.elsewhere}${
        (found?.total_count ?? 0) > count
          ? html`<p class="notice">The first ${counted(count, 'comment')} are shown. The others are in the <a
href="${path}">conversation</a>.</p>`
          : ''
      }`,
    };
  },
});

const anchorOf = ({ id }: { readonly id: number }): string => `discussion_r${id}`;

const keyOf = (path: string, side: string, line: number | null | undefined): string => `${side} ${line} ${path}`;

const keysOf = (path: string, { kind, left, right }: ShownRow): string[] => [
  ...(left !== undefined && kind !== 'added' && kind !== 'hunk' ? [keyOf(path, 'LEFT', left)] : []),
  ...(right !== undefined && kind !== 'removed' && kind !== 'hunk' ? [keyOf(path, 'RIGHT', right)] : []),
];

/**
 * The conversations at their lines. Below the names of the files are those on whole files, on lines that differ no more, and on
 * lines that aren't shown; below the diff those on files that aren't shown.
 */
function arranged(threads: readonly Thread[], diff: Diff, now: Date): { threads: DiffThreads; elsewhere: TrustedHtml } {
  const lines = new Set(diff.files.flatMap(({ path, rows = [] }) => rows.flatMap((row) => keysOf(path, row))));
  const files = new Set(diff.files.map(({ path }) => path));
  const inLines = new Map<string, Thread[]>();
  const others: Thread[] = [];
  for (const thread of threads) {
    const [first] = thread.comments;
    const key = first && first.line !== null ? keyOf(first.path, first.side, first.line) : undefined;
    if (key !== undefined && lines.has(key)) inLines.set(key, [...(inLines.get(key) ?? []), thread]);
    else others.push(thread);
  }
  const ofFiles = grouped(others, ({ comments }) => comments[0]?.path ?? '');
  const elsewhere = [...ofFiles].filter(([path]) => !files.has(path));
  const shownThread = (thread: Thread): TrustedHtml => {
    const folded = reasonToFold(thread);
    return inlineThread({ comments: thread.comments, anchorOf, ...(folded === undefined ? {} : { folded }) }, now);
  };
  return {
    threads: {
      ofFile: (path): Insertable => {
        const found = ofFiles.get(path) ?? [];
        return found.length === 0
          ? ''
          : html`<div class="body stack">${found.map((thread) => shownOther(thread, shownThread))}</div>`;
      },
      ofRow(path, row) {
        if (inLines.size === 0) return undefined;
        const found = keysOf(path, row).flatMap((key) => inLines.get(key) ?? []);
        return found.length === 0 ? undefined : html`${found.map(shownThread)}`;
      },
    },
    elsewhere:
      elsewhere.length === 0
        ? html``
        : html`<section class="stack"
aria-label="Conversations elsewhere"><h2>On files that are not shown here</h2>${elsewhere.map(
            ([path, found]) =>
              html`<div class="panel"><header><h3>${path}</h3></header><div
class="body stack">${found.map((thread) => shownOther(thread, shownThread))}</div></div>`,
          )}</section>`,
  };
}

function reasonToFold({ is_resolved, comments }: Thread): Insertable {
  const isOutdated = comments[0]?.subject_type === 'line' && comments[0].line === null;
  const words = [...(is_resolved ? ['Resolved'] : []), ...(isOutdated ? ['Outdated'] : [])];
  return words.length === 0 ? undefined : html`<b>${words.join(', ')}</b>`;
}

/** A conversation that isn't at its line: with the line, or the code as it was. */
function shownOther(thread: Thread, show: (thread: Thread) => TrustedHtml): TrustedHtml {
  const [first] = thread.comments;
  if (!first || first.subject_type === 'file') return show(thread);
  const line = first.line ?? first.original_line;
  return html`<div><p
class="soft small">On line ${line}${first.line === null ? ' of an earlier version' : ''}</p>${show(thread)}</div>`;
}
