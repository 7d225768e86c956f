// Rows of issues and pull requests in lists.
import { localAddress } from '#console/components/address.ts';
import { labelLink } from '#console/components/label.ts';
import { avatar, personLink, type ShownAccount } from '#console/components/person.ts';
import { timeAgo } from '#console/components/time.ts';
import type { PageRequest } from '#console/page.ts';
import { type IconName, icon } from '#html/icons.ts';
import { html, type TrustedHtml } from '#html/template.ts';
import type { ShownRelation } from '#resources/collaboration/issue-relations/schemas.ts';
import { quoted } from './terms.ts';

/** What a row shows of an issue. */
export type ListedIssue = {
  readonly number: number;
  readonly title: string;
  readonly state: 'open' | 'closed';
  readonly state_reason: string | null;
  readonly html_url: string;
  readonly user: ShownAccount | null;
  readonly labels: readonly { readonly name: string; readonly color: string; readonly description: string | null }[];
  readonly assignees: readonly ShownAccount[];
  readonly milestone: { readonly title: string; readonly html_url: string } | null;
  readonly comments: number;
  readonly created_at: string;
  readonly closed_at: string | null;
  readonly draft?: boolean;
  readonly pull_request?: { readonly merged_at: string | null };
  readonly sub_issues_summary: { readonly total: number; readonly completed: number };
  readonly issue_dependencies_summary: { readonly blocked_by: number };
};

/** What is known of the checks and reviews of listed pull requests, by number. */
type PullStates = ReadonlyMap<
  number,
  {
    readonly checks: 'success' | 'failure' | 'pending' | null;
    readonly review: 'approved' | 'changes_requested' | 'required' | null;
  }
>;

type Shown = Pick<ListedIssue, 'state' | 'state_reason' | 'draft' | 'pull_request'>;

/** The state of an issue or a pull request: its icon, its word and the class of its colour. */
export function stateOf({ state, state_reason, draft, pull_request }: Shown): readonly [IconName, string, string] {
  if (pull_request) {
    if (pull_request.merged_at !== null) return ['merge', 'Merged', 'done'];
    if (state === 'closed') return ['pull-closed', 'Closed', 'bad'];
    return draft ? ['draft', 'Draft', 'soft'] : ['pull', 'Open', 'ok'];
  }
  if (state === 'open') return ['circle-dot', 'Open', 'ok'];
  if (state_reason === 'not_planned') return ['skipped', 'Closed as not planned', 'soft'];
  return state_reason === 'duplicate' ? ['skipped', 'Closed as a duplicate', 'soft'] : ['circle-check', 'Closed', 'done'];
}

/** The state as an icon, whose word is for screen readers. */
function stateIcon(issue: Shown): TrustedHtml {
  const [name, word, colour] = stateOf(issue);
  return html`<span class="${colour}" title="${word}">${icon(name)}<span class="unseen">${word}</span></span>`;
}

/** The same of an issue or pull request that stands beside another. */
export const relationIcon = ({ state, is_draft, is_pull_request, is_merged }: ShownRelation): TrustedHtml =>
  stateIcon({
    state,
    state_reason: null,
    draft: is_draft,
    ...(is_pull_request ? { pull_request: { merged_at: is_merged ? '' : null } } : {}),
  });

const checkWords = {
  success: ['check', 'ok', 'Checks passed'],
  failure: ['cross', 'bad', 'Checks failed'],
  pending: ['clock', 'wait', 'Checks are running'],
} as const satisfies Record<string, readonly [IconName, string, string]>;

const reviewWords = {
  approved: ['ok', 'Approved'],
  changes_requested: ['bad', 'Changes requested'],
  required: ['wait', 'Review required'],
} as const;

/** The search for what has a label. */
export const labelQuery = (kind: 'is:issue' | 'is:pr', name: string): string => `${kind} is:open label:${quoted(name)}`;

type RowOptions = {
  readonly request: PageRequest<unknown>;
  readonly states?: PullStates;
  /** The address of the list that a label leads to. */
  labelAddress(name: string): string;
  /** The full name of the repository, in lists over several of them. */
  readonly repository?: string | undefined;
};

/** One row of a list. */
export function issueRow(issue: ListedIssue, { request, states, labelAddress, repository }: RowOptions): TrustedHtml {
  const { links, now } = request;
  const local = (address: string) => localAddress(address, links.html);
  const { checks = null, review = null } = states?.get(issue.number) ?? {};
  const { total, completed } = issue.sub_issues_summary;
  const blocked = issue.issue_dependencies_summary.blocked_by;
  const when = issue.state === 'open' ? issue.created_at : issue.closed_at;
  const verb = issue.state === 'open' ? 'opened' : issue.pull_request?.merged_at ? 'merged' : 'closed';
  return html`<li class="issue-row">${stateIcon(issue)}<div class="grow"><a class="title" dir="auto" href="${local(
    issue.html_url,
  )}">${issue.title}</a>${issue.labels.map((label) => html` ${labelLink(label, labelAddress(label.name))}`)}
<p class="soft small">${repository === undefined ? '' : html`<a href="/${repository}">${repository}</a> `}#${
    issue.number
  } ${verb} ${timeAgo(when, now)} by ${personLink(issue.user)}${
    review === null ? '' : html` · <span class="${reviewWords[review][0]}">${reviewWords[review][1]}</span>`
  }${
    issue.milestone === null
      ? ''
      : html` · ${icon('milestone')}<a href="${local(issue.milestone.html_url)}">${issue.milestone.title}</a>`
  }${total === 0 ? '' : html` · ${completed} of ${total} sub-issues`}${
    blocked === 0 ? '' : html` · <span class="wait">Blocked</span>`
  }</p></div>${
    checks === null
      ? ''
      : html`<a class="${checkWords[checks][1]}" href="${local(issue.html_url)}/checks" title="${checkWords[checks][2]}">${icon(
          checkWords[checks][0],
        )}<span class="unseen">${checkWords[checks][2]}</span></a>`
  }<span class="faces">${issue.assignees
    .slice(0, 3)
    .map((account) => html`<span title="Assigned to ${account.login}">${avatar(account)}</span>`)}</span>${
    issue.comments === 0
      ? html`<span class="talks"></span>`
      : html`<span class="talks soft small" title="${issue.comments} comments">${icon('comment')}${issue.comments}</span>`
  }</li>`;
}
