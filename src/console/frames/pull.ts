// The frame of a pull request's pages. It shows title, state and tabs below the tabs of the repository.

import { countBadge } from '#console/components/lists.ts';
import { personLink } from '#console/components/person.ts';
import { middleCut } from '#console/components/text.ts';
import { type Found, type Frame, type PageRequest, read } from '#console/page.ts';
import { type IconName, icon } from '#html/icons.ts';
import { attribute, html, type TrustedHtml } from '#html/template.ts';
import { getPull } from '#resources/collaboration/pulls/endpoints/pulls.ts';
import { inRepository, repositoryPath } from './repository.ts';

const repository = inRepository('pulls');

const reads = (request: PageRequest) => ({ ...repository.reads(request), pull: read(getPull) });
type PullReads = ReturnType<typeof reads>;

/** What every page of a pull request has read: the repository, and the pull request. */
export type FoundPull = Found<PullReads>;
export type ShownPull = FoundPull['pull'];

type Tab = 'conversation' | 'commits' | 'checks' | 'files';

/** The path of a pull request's page. */
export const pullPath = (found: FoundPull, ...rest: readonly (string | number)[]): string =>
  repositoryPath(found.repository, 'pull', found.pull.number, ...rest);

/**
 * The frame of a pull request's pages, whose paths begin with `/{owner}/{repo}/pull/{pull_number}`. It shows the one `h1`.
 * `tab`: the current tab.
 */
export const inPull = (tab: Tab): Frame<PullReads> => ({
  reads,
  render: (content, found, request) =>
    repository.render({ ...content, body: html`${heading(found)}${tabs(tab, found)}${content.body}` }, found, request),
});

const states = {
  draft: ['draft', 'Draft', ''],
  open: ['pull', 'Open', 'open'],
  merged: ['merge', 'Merged', 'merged'],
  closed: ['pull-closed', 'Closed', 'failed'],
} as const satisfies Record<string, readonly [icon: IconName, word: string, className: string]>;

type PullState = Pick<ShownPull, 'state' | 'draft' | 'merged_at'>;

function stateOf({ state, draft, merged_at }: PullState): keyof typeof states {
  if (merged_at !== null) return 'merged';
  if (state === 'closed') return 'closed';
  return draft ? 'draft' : 'open';
}

/** The state of a pull request, as an icon and a word. */
export function pullStateBadge(pull: PullState): TrustedHtml {
  const [name, word, className] = states[stateOf(pull)];
  return html`<span class="state ${className}">${icon(name)}${word}</span>`;
}

function heading(found: FoundPull): TrustedHtml {
  const { pull } = found;
  const { base, head } = pull;
  const isLocal = head.repo?.id === base.repo?.id;
  const commits = `${pull.commits} ${pull.commits === 1 ? 'commit' : 'commits'}`;
  const [who, verb] = pull.merged ? [pull.merged_by, 'merged'] : [pull.user, 'wants to merge'];
  return html`<h1 dir="auto">${pull.title} <span class="soft">#${pull.number}</span></h1>
<p class="row pull-state">${pullStateBadge(pull)}<span class="soft">${personLink(who)} ${verb} ${commits} into
<code>${middleCut(base.ref)}</code> from <code>${middleCut(isLocal ? head.ref : head.label)}</code></span></p>`;
}

function tabs(current: Tab, found: FoundPull): TrustedHtml {
  const { pull } = found;
  const all: readonly (readonly [tab: Tab, icon: IconName, title: string, path: string, count?: number])[] = [
    ['conversation', 'comment', 'Conversation', pullPath(found), pull.comments],
    ['commits', 'commit', 'Commits', pullPath(found, 'commits'), pull.commits],
    ['checks', 'circle-check', 'Checks', pullPath(found, 'checks')],
    ['files', 'file', 'Files', pullPath(found, 'files'), pull.changed_files],
  ];
  return html`<nav class="tabs inner" aria-label="Pull request">${all.map(
    ([tab, name, title, path, count]) =>
      html`<a href="${path}"${attribute('aria-current', tab === current && 'page')}>
${icon(name)}${title}${countBadge(count)}</a>`,
  )}</nav>`;
}
