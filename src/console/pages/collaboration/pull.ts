import { pagePath } from '#console/components/address.ts';
import { counted, countText } from '#console/components/lists.ts';
import { personLink, personWithAvatar } from '#console/components/person.ts';
import { middleCut } from '#console/components/text.ts';
import { timeAgo } from '#console/components/time.ts';
import { type FoundPull, inPull, pullPath, type ShownPull } from '#console/frames/pull.ts';
import { type PageRequest, page, read } from '#console/page.ts';
import { type IconName, icon } from '#html/icons.ts';
import { html, type Insertable, type TrustedHtml } from '#html/template.ts';
import { getMergeState } from '#resources/collaboration/merge-queues/merge-state/endpoints.ts';
import type { MergeState, Reason } from '#resources/collaboration/merge-queues/merge-state/schemas.ts';
import { listPullStates } from '#resources/collaboration/reviews/endpoints/pull-states.ts';
import { getConversation } from '#resources/collaboration/timelines/page-endpoints.ts';
import { numberIn } from './issue.ts';
import { sidebar, sideSection } from './sidebar.ts';
import { sourcesOf, timelineHtml } from './timeline.ts';

const turnWords = {
  author: 'The author’s turn',
  reviewers: 'The reviewers’ turn',
  checks: 'The checks’ turn',
  maintainers: 'The turn of those who administer the rules',
  queue: 'The merge queue’s turn',
  server: 'This server’s turn',
} as const;

const reasonIcons = {
  kept: ['check', 'ok', 'Kept'],
  broken: ['cross', 'bad', 'Not kept'],
  waiting: ['clock', 'wait', 'Waiting'],
  bypassed: ['warning', 'wait', 'You may bypass it'],
  tried_out: ['eye', 'soft', 'Tried out, refuses nothing'],
} as const satisfies Record<Reason['state'], readonly [IconName, string, string]>;

const gateRow = (name: IconName, colour: string, word: string, text: Insertable, detail: Insertable = ''): TrustedHtml =>
  html`<li><span class="${colour}" title="${word}">${icon(name)}<span class="unseen">${word}: </span></span><div>${text}${
    detail === '' ? '' : html`<p class="soft small">${detail}</p>`
  }</div></li>`;

function reasonRow({ state, message, source, turn }: Reason): TrustedHtml {
  const [name, colour, word] = reasonIcons[state];
  const details = [
    ...(turn === null ? [] : [turnWords[turn]]),
    ...(state === 'bypassed' || state === 'tried_out' ? [word] : []),
    ...(source === null ? [] : [source]),
  ];
  return gateRow(name, colour, word, message, details.join(' · '));
}

/** The order of reasons: what has to happen first. */
const order: readonly Reason['state'][] = ['broken', 'waiting', 'bypassed', 'tried_out', 'kept'];

function headline({ state, draft, merged }: ShownPull, { reasons, is_ready, may_merge, queue, has_queue }: MergeState): string {
  if (merged || state === 'closed') return '';
  if (queue) return queue.position === null ? 'It is in the merge queue' : `It is number ${queue.position} in the merge queue`;
  const isHeld = reasons.some((reason) => reason.state === 'broken');
  const waits = reasons.some((reason) => reason.state === 'waiting');
  if (draft) return 'It is a draft';
  if (isHeld) return 'It can’t be merged yet';
  if (waits) return 'It waits';
  if (reasons.some((reason) => reason.state === 'bypassed')) return 'Rules hold it back, which you may bypass';
  if (is_ready) return has_queue ? 'It can enter the merge queue' : 'It can be merged';
  return may_merge ? 'It can be merged' : 'It can be merged by people with write access';
}

const checkRows = {
  success: ['check', 'ok', 'All checks have passed'],
  failure: ['cross', 'bad', 'Some checks failed'],
  pending: ['clock', 'wait', 'Some checks are still running'],
} as const;

type Checks = keyof typeof checkRows | null;

function mergedRows({ pull }: FoundPull, { head_is_deleted }: MergeState, { now }: PageRequest<unknown>, commit: TrustedHtml) {
  return [
    gateRow(
      'merge',
      'done',
      'Merged',
      html`${personLink(pull.merged_by)} merged it ${timeAgo(pull.merged_at, now)} as ${commit}`,
    ),
    ...(head_is_deleted
      ? [gateRow('branch', 'soft', 'Branch', html`The branch <code>${middleCut(pull.head.ref)}</code> was deleted.`)]
      : []),
  ];
}

/** What keeps a pull request from being merged, or what became of it. */
function mergeBox(found: FoundPull, merge: MergeState, checks: Checks, request: PageRequest<unknown>): TrustedHtml {
  const { pull, repository } = found;
  if (pull.merged) {
    const sha = pull.merge_commit_sha;
    const commit =
      sha === null
        ? html`a commit`
        : html`<a href="${pagePath(repository.full_name, 'commit', sha)}"><code>${sha.slice(0, 7)}</code></a>`;
    return html`<section class="panel gate-box" id="merging" aria-label="Merging">
<ul class="gate">${mergedRows(found, merge, request, commit)}</ul></section>`;
  }
  if (pull.state === 'closed') {
    const gone = merge.head_is_deleted
      ? html`The branch <code>${middleCut(pull.head.ref)}</code> was deleted.`
      : html`The branch <code>${middleCut(pull.head.ref)}</code> is still there.`;
    return html`<section class="panel gate-box" id="merging" aria-label="Merging"><ul class="gate">${gateRow(
      'pull-closed',
      'bad',
      'Closed',
      html`It was closed ${timeAgo(pull.closed_at, request.now)} and not merged.`,
      gone,
    )}</ul></section>`;
  }
  const reasons = merge.reasons.toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state));
  const checkRow =
    checks === null
      ? ''
      : gateRow(
          checkRows[checks][0],
          checkRows[checks][1],
          'Checks',
          html`<a href="${pullPath(found, 'checks')}">${checkRows[checks][2]}</a>`,
        );
  const methods = merge.methods.map((method) => ({ merge: 'a merge commit', squash: 'squashing', rebase: 'rebasing' })[method]);
  return html`<section class="panel gate-box" id="merging"><header><h2>${headline(pull, merge)}</h2></header>
<ul class="gate">${reasons.map(reasonRow)}${checkRow}</ul>${
    methods.length === 0 ? '' : html`<p class="gate-foot soft small">Merges here are made by ${methods.join(', ')}.</p>`
  }</section>`;
}

const reviewWords = {
  approved: ['check', 'ok', 'approved'],
  changes_requested: ['cross', 'bad', 'wants changes'],
  dismissed: ['skipped', 'soft', 'dismissed'],
  waiting: ['clock', 'wait', 'waiting'],
} as const satisfies Record<string, readonly [IconName, string, string]>;

function reviewers({ pull }: FoundPull, { reviewers: decided }: MergeState): TrustedHtml {
  const row = (who: Insertable, state: keyof typeof reviewWords, more = '') => {
    const [name, colour, word] = reviewWords[state];
    return html`<li class="row">${who}<span class="push small ${colour}">${icon(name)} ${word}${more}</span></li>`;
  };
  const asked = new Set(pull.requested_reviewers.map(({ id }) => id));
  const rows = [
    ...pull.requested_reviewers.map((user) => row(personWithAvatar(user), 'waiting')),
    ...pull.requested_teams.map(({ name }) => row(html`${icon('people')} <b>${name}</b>`, 'waiting')),
    ...decided
      .filter(({ user }) => user === null || !asked.has(user.id))
      .map(({ user, state, is_of_present_head }) =>
        row(personWithAvatar(user), state, state !== 'dismissed' && !is_of_present_head ? ', earlier commits' : ''),
      ),
  ];
  return sideSection(
    'Reviewers',
    rows.length === 0 ? html`<p class="soft">Nobody was asked</p>` : html`<ul class="side-list">${rows}</ul>`,
  );
}

/** Where the changes come from and go to. */
function branches({ pull, repository }: FoundPull, { head_is_deleted }: MergeState): TrustedHtml {
  const { head, base } = pull;
  const label = head.repo?.id === base.repo?.id ? head.ref : head.label;
  const name = html`<code>${middleCut(label)}</code>`;
  const from =
    head.repo === null || head_is_deleted ? name : html`<a href="${pagePath(head.repo.full_name, 'tree', head.ref)}">${name}</a>`;
  const note = head.repo === null ? ' (its repository was deleted, or you may not read it)' : head_is_deleted ? ' (deleted)' : '';
  return sideSection(
    'Branches',
    html`<p>${from}<span class="soft">${note}</span></p><p class="soft small">into</p>
<p><a href="${pagePath(repository.full_name, 'tree', base.ref)}"><code>${middleCut(base.ref)}</code></a></p>
<p class="soft small">${counted(pull.changed_files, 'file')},
<span class="ok">+${countText(pull.additions)}</span> <span class="bad">−${countText(
      pull.deletions,
    )}</span>${pull.maintainer_can_modify && head.repo?.id !== base.repo?.id ? '. Maintainers may push to its branch.' : ''}</p>`,
  );
}

export const pullPage = page({
  path: '/{owner}/{repo}/pull/{pull_number}',
  frame: inPull('conversation'),
  reads: ({ query, words: { pull_number } }) => ({
    shown: read(getConversation, { words: { issue_number: pull_number }, query: { number: numberIn(query) } }),
    merge: read(getMergeState),
    states: read(listPullStates, { query: { numbers: pull_number } }),
  }),
  render({ shown, merge, states, ...found }, request) {
    const { pull, repository } = found;
    const context = { request, repository: repository.full_name, isPull: true, path: pullPath(found), sources: sourcesOf(shown) };
    const checks = states[0]?.checks ?? null;
    const first = html`${reviewers(found, merge)}${branches(found, merge)}`;
    return {
      title: `${pull.title} · #${pull.number} · ${repository.full_name}`,
      body: html`<div class="split"><div>${timelineHtml(shown, context)}${mergeBox(found, merge, checks, request)}</div>${sidebar(
        shown,
        context,
        first,
      )}</div>`,
    };
  },
});
