// The entries of a timeline as HTML: comments, reviews and conversations as panels, events as sentences.
import { localAddress, pagePath } from '#console/components/address.ts';
import { labelLink } from '#console/components/label.ts';
import { counted } from '#console/components/lists.ts';
import { avatar, personLink, type ShownAccount } from '#console/components/person.ts';
import { middleCut, rendered } from '#console/components/text.ts';
import { timeAgo } from '#console/components/time.ts';
import type { PageRequest } from '#console/page.ts';
import { type IconName, icon } from '#html/icons.ts';
import { attribute, html, type Insertable, joined, type TrustedHtml } from '#html/template.ts';
import type { ShownRelation } from '#resources/collaboration/issue-relations/schemas.ts';
import type { IssueEventKind } from '#resources/collaboration/issues/timeline/event-kinds.ts';
import type { Conversation, TimelineEntry } from '#resources/collaboration/timelines/schemas.ts';
import type { RenderedHtml } from '#text/rendered-html.ts';
import { hunkTable } from './hunk.ts';
import { reactionList } from './reactions.ts';
import { labelQuery, relationIcon } from './rows.ts';

type EventEntry = Extract<TimelineEntry, { commit_url: string | null }>;
type CommentEntry = Extract<TimelineEntry, { event: 'commented' }>;
type ReviewEntry = Extract<TimelineEntry, { event: 'reviewed' }>;
type CommitEntry = Extract<TimelineEntry, { event: 'committed' }>;
type LineEntry = Extract<TimelineEntry, { event: 'line-commented' }>;

/** What entries need of their page. */
export type TimelineContext = {
  readonly request: PageRequest<unknown>;
  /** The full name of the repository. */
  readonly repository: string;
  readonly isPull: boolean;
  /** The path of the page. */
  readonly path: string;
  /** The issues and pull requests that events name, by the ids of the events. */
  readonly sources: ReadonlyMap<number, ShownRelation>;
};

/** The issues and pull requests that the events of a conversation name. */
export const sourcesOf = ({ related: all }: Conversation): ReadonlyMap<number, ShownRelation> =>
  new Map(all.flatMap((one) => (one.event_id === null ? [] : [[one.event_id, one] as const])));

/** The sentence of an event, after the name of who did it, and its icon. */
type Sentence = (event: EventEntry, context: TimelineContext) => readonly [icon: IconName, text: Insertable];

const fixed =
  (name: IconName, text: string): Sentence =>
  () => [name, text];

const labelled =
  (verb: string): Sentence =>
  ({ label }, { repository, isPull }) => {
    const query = labelQuery(isPull ? 'is:pr' : 'is:issue', label?.name ?? '');
    const address = `${pagePath(repository, isPull ? 'pulls' : 'issues')}?q=${encodeURIComponent(query)}`;
    return ['label', html`${verb} the label ${label ? labelLink(label, address) : ''}`];
  };

const assigned =
  (verb: string, own: string): Sentence =>
  ({ actor, assignee }) => [
    'person',
    actor && assignee && actor.id === assignee.id ? own : html`${verb} ${personLink(assignee)}`,
  ];

const milestoned =
  (verb: string, preposition: string): Sentence =>
  ({ milestone }) => ['milestone', html`${verb} this ${preposition} the milestone <b>${milestone?.title}</b>`];

const reviewer = ({ requested_reviewer, requested_team }: EventEntry): Insertable =>
  requested_team
    ? html`<b>${requested_team.name}</b>`
    : requested_reviewer === undefined
      ? 'a team'
      : personLink(requested_reviewer);

const issueLink = (
  { repository: name, number, title, html_url }: ShownRelation,
  { repository, request }: TimelineContext,
): TrustedHtml =>
  html`<a href="${localAddress(html_url, request.links.html)}">${title} <span class="soft">${
    name === repository ? '' : name
  }#${number}</span></a>`;

const related =
  (before: string): Sentence =>
  ({ id }, context) => {
    const other = context.sources.get(id);
    return ['link', other ? html`${before} ${issueLink(other, context)}` : html`${before} another issue`];
  };

const valueText = (value: string | number | readonly string[] | undefined): string =>
  typeof value === 'object' ? value.join(', ') : String(value ?? '');

const field: Sentence = ({ issue_field }) => {
  if (!issue_field) return ['list', 'changed a field'];
  const { name, value, previous_value } = issue_field;
  if (value === undefined) return ['list', html`cleared <b>${name}</b>, which was ${valueText(previous_value)}`];
  if (previous_value === undefined) return ['list', html`set <b>${name}</b> to <b>${valueText(value)}</b>`];
  return ['list', html`changed <b>${name}</b> from ${valueText(previous_value)} to <b>${valueText(value)}</b>`];
};

const commitLink = (sha: string | null, { repository }: TimelineContext): Insertable =>
  sha === null ? 'a commit' : html`<a href="${pagePath(repository, 'commit', sha)}"><code>${sha.slice(0, 7)}</code></a>`;

const closedWords = { not_planned: ' as not planned', duplicate: ' as a duplicate', completed: '', reopened: '' } as const;

/** What is said of each kind of event. The type demands one for each kind that is recorded. */
export const sentences: Readonly<Record<IssueEventKind, Sentence>> = {
  added_to_merge_queue: fixed('list', 'added this to the merge queue'),
  assigned: assigned('assigned', 'took this on'),
  automatic_base_change_failed: fixed('warning', 'tried to change the base after its branch was merged, which failed'),
  automatic_base_change_succeeded: fixed('branch', 'changed the base, since its branch was merged'),
  base_ref_changed: fixed('branch', 'changed the base branch'),
  blocked_by_added: related('marked this as blocked by'),
  blocked_by_removed: related('marked this as no longer blocked by'),
  blocking_added: related('marked this as blocking'),
  blocking_removed: related('marked this as no longer blocking'),
  closed: ({ commit_id, state_reason }, context) => [
    context.isPull ? 'pull-closed' : 'circle-check',
    html`closed this${state_reason ? closedWords[state_reason] : ''}${
      commit_id === null ? '' : html` in ${commitLink(commit_id, context)}`
    }`,
  ],
  comment_deleted: fixed('comment', 'deleted a comment'),
  'cross-referenced': ({ id }, context) => {
    const other = context.sources.get(id);
    return ['link', other ? html`mentioned this in ${relationIcon(other)} ${issueLink(other, context)}` : 'mentioned this'];
  },
  convert_to_draft: fixed('draft', 'made this a draft'),
  demilestoned: milestoned('removed', 'from'),
  deployed: fixed('deployment', 'deployed this'),
  deployment_environment_changed: fixed('deployment', 'changed the environment of a deployment'),
  head_ref_deleted: fixed('branch', 'deleted the branch'),
  head_ref_force_pushed: ({ commit_id }, context) => [
    'branch',
    html`force-pushed the branch${commit_id === null ? '' : html` to ${commitLink(commit_id, context)}`}`,
  ],
  head_ref_restored: fixed('branch', 'restored the branch'),
  issue_field_added: field,
  issue_field_changed: field,
  issue_field_removed: field,
  labeled: labelled('added'),
  locked: ({ lock_reason }) => ['lock', html`locked the conversation${lock_reason ? html` as ${lock_reason}` : ''}`],
  marked_as_duplicate: fixed('copy', 'marked this as a duplicate'),
  mentioned: fixed('comment', 'was mentioned'),
  merged: ({ commit_id }, context) => ['merge', html`merged this in ${commitLink(commit_id, context)}`],
  milestoned: milestoned('added', 'to'),
  parent_issue_added: related('made this a sub-issue of'),
  parent_issue_removed: related('took this away from its parent'),
  ready_for_review: fixed('eye', 'marked this as ready for review'),
  referenced: ({ commit_id }, context) => ['commit', html`referred to this in ${commitLink(commit_id, context)}`],
  removed_from_merge_queue: fixed('list', 'removed this from the merge queue'),
  renamed: ({ rename }) => ['note', html`changed the title from <del>${rename?.from}</del> to <b>${rename?.to}</b>`],
  reopened: (_event, { isPull }) => [isPull ? 'pull' : 'circle-dot', 'reopened this'],
  review_dismissed: ({ dismissed_review }, context) => [
    'cross',
    dismissed_review
      ? html`dismissed <a href="#pullrequestreview-${dismissed_review.review_id}">${
          dismissed_review.state === 'approved' ? 'an approval' : 'a request for changes'
        }</a>${
          dismissed_review.dismissal_message === null
            ? html`, since ${commitLink(dismissed_review.dismissal_commit_id, context)} was pushed`
            : html`: ${dismissed_review.dismissal_message}`
        }`
      : 'dismissed a review',
  ],
  review_request_removed: (event) => ['eye', html`no longer asks ${reviewer(event)} for a review`],
  review_requested: (event) => ['eye', html`asked ${reviewer(event)} for a review`],
  sub_issue_added: related('added the sub-issue'),
  sub_issue_removed: related('removed the sub-issue'),
  subscribed: fixed('bell', 'subscribed'),
  unassigned: assigned('unassigned', 'gave this back'),
  unlabeled: labelled('removed'),
  unlocked: fixed('lock', 'unlocked the conversation'),
  unmarked_as_duplicate: fixed('copy', 'marked this as no duplicate any more'),
  unsubscribed: fixed('bell', 'unsubscribed'),
};

/** Events that concern the person alone who is named, and say nothing to others. */
const silent: ReadonlySet<string> = new Set(['mentioned', 'subscribed', 'unsubscribed']);

const sentenceOf = (event: string): Sentence | undefined =>
  Object.hasOwn(sentences, event) ? sentences[event as keyof typeof sentences] : undefined;

type Line = {
  readonly id?: string;
  readonly icon: IconName;
  readonly who: Insertable;
  readonly text: Insertable;
  readonly at: string;
};

const line = ({ id, icon: name, who, text, at }: Line, { request }: TimelineContext): TrustedHtml =>
  html`<p class="event"${attribute('id', id)}><span class="knot">${icon(name)}</span><span>${who} ${text}
<span class="small">${timeAgo(at, request.now)}</span></span></p>`;

function eventLine(event: EventEntry, context: TimelineContext): TrustedHtml {
  if (silent.has(event.event)) return html``;
  if (event.event === 'cross-referenced' && !context.sources.has(event.id)) return html``;
  const sentence = sentenceOf(event.event);
  // An event that came with an archive may be of a kind that isn't recorded here.
  const [name, text] = sentence ? sentence(event, context) : (['note', event.event.replaceAll('_', ' ')] as const);
  return line({ id: `event-${event.id}`, icon: name, who: personLink(event.actor), text, at: event.created_at }, context);
}

function commitLine({ sha, message, author }: CommitEntry, context: TimelineContext): TrustedHtml {
  const [title = ''] = message.split('\n', 1);
  const text = html`<a class="ink" href="${pagePath(context.repository, 'commit', sha)}">${title}</a>
${commitLink(sha, context)}`;
  return line({ icon: 'commit', who: html`<b>${author.name}</b>`, text, at: author.date }, context);
}

const associationWords: Readonly<Record<string, string>> = { OWNER: 'Owner', MEMBER: 'Member', COLLABORATOR: 'Collaborator' };

type Said = {
  readonly id: string;
  readonly user: ShownAccount | null;
  readonly created_at: string;
  readonly updated_at?: string;
  readonly author_association: string;
  readonly body_html?: RenderedHtml | undefined;
  readonly body?: string | null | undefined;
  readonly reactions?: Readonly<Record<string, unknown>>;
  /** What it says of the text: "commented", "approved these changes". */
  readonly verb?: Insertable;
  readonly after?: Insertable;
};

/** A text of somebody: the first one of an issue, a comment, or a review. */
function said(text: Said, { request }: TimelineContext, author: ShownAccount | null): TrustedHtml {
  const { id, user, created_at, updated_at, author_association, body_html, reactions, verb = 'commented', after } = text;
  const isAuthor = user !== null && author !== null && user.id === author.id;
  const association = associationWords[author_association];
  const isEdited = updated_at !== undefined && updated_at !== created_at;
  const shown = rendered(body_html);
  const isEmpty = body_html === undefined || body_html === '';
  return html`<article class="say" id="${id}">${user ? avatar(user, 34) : html`<span class="avatar"></span>`}
<section class="panel"><header>${personLink(user)}<span class="soft small">${verb}
<a class="soft" href="#${id}">${timeAgo(created_at, request.now)}</a>${
    isEdited ? html` · <span title="${updated_at}">edited</span>` : ''
  }</span><span class="push">${isAuthor ? html`<span class="badge">Author</span>` : ''}${
    association === undefined ? '' : html`<span class="badge">${association}</span>`
  }</span></header>
${isEmpty ? (after === undefined ? html`<p class="prose soft">No description.</p>` : '') : shown}${after}
${reactionList(reactions)}
</section></article>`;
}

const reviewVerbs = {
  approved: ['ok', 'approved these changes'],
  changes_requested: ['bad', 'requested changes'],
  commented: ['soft', 'reviewed'],
  dismissed: ['soft', 'left a review, which was dismissed,'],
} as const;

function reviewPanel(review: ReviewEntry, context: TimelineContext, author: ShownAccount | null): TrustedHtml {
  const [colour, word] = reviewVerbs[review.state];
  const id = `pullrequestreview-${review.id}`;
  const hasText = review.body_html !== undefined && review.body_html !== '';
  const verb = html`<b class="${colour}">${word}</b>`;
  if (!hasText) {
    // A review without words of its own is a line: its conversations follow.
    const name = review.state === 'approved' ? 'check' : review.state === 'changes_requested' ? 'cross' : 'eye';
    return line({ id, icon: name, who: personLink(review.user), text: verb, at: review.submitted_at }, context);
  }
  return said({ ...review, id, created_at: review.submitted_at, verb }, context, author);
}

function conversation({ comments }: LineEntry, context: TimelineContext): TrustedHtml {
  const [first] = comments;
  if (!first) return html``;
  const { request, path } = context;
  const isOutdated = first.subject_type === 'line' && first.line === null;
  const anchor = `discussion_r${first.id}`;
  return html`<section class="panel thread" id="${anchor}"><header><a class="ink cut" href="${path}/files#${anchor}">${middleCut(
    first.path,
    70,
  )}</a>${isOutdated ? html`<span class="badge">Outdated</span>` : ''}<span class="push soft small">${counted(
    comments.length,
    'comment',
  )}</span></header>
${first.subject_type === 'line' ? hunkTable(first.diff_hunk) : ''}
${comments.map(
  (comment, at) => html`<div class="reply"${attribute('id', at > 0 && `discussion_r${comment.id}`)}>
<p class="row small">${comment.user ? avatar(comment.user) : ''}${personLink(comment.user)}<span class="soft">${timeAgo(
    comment.created_at,
    request.now,
  )}${comment.updated_at === comment.created_at ? '' : ' · edited'}</span></p>${rendered(comment.body_html)}${reactionList(
    comment.reactions,
  )}</div>`,
)}</section>`;
}

/** One entry of a timeline. */
function entryHtml(entry: TimelineEntry, context: TimelineContext, author: ShownAccount | null): TrustedHtml {
  if (entry.event === 'commented' && 'reactions' in entry) {
    const comment = entry as CommentEntry;
    return said({ ...comment, id: `issuecomment-${comment.id}`, after: '' }, context, author);
  }
  if (entry.event === 'reviewed' && 'state' in entry) return reviewPanel(entry as ReviewEntry, context, author);
  if (entry.event === 'line-commented' && 'comments' in entry) return conversation(entry as LineEntry, context);
  if (entry.event === 'committed' && 'sha' in entry) return commitLine(entry as CommitEntry, context);
  return eventLine(entry as EventEntry, context);
}

/** A whole timeline: its text, its entries, and a link to what is left out of a long one. */
export function timelineHtml({ issue, entries, omitted, total, page_size }: Conversation, context: TimelineContext): TrustedHtml {
  const author = issue.user;
  const first = said({ ...issue, id: `issue-${issue.id}`, updated_at: issue.created_at, verb: 'opened this' }, context, author);
  const shown = entries.map((entry) => entryHtml(entry, context, author));
  const { number } = context.request.query;
  if (number !== undefined) {
    const pages = Math.max(1, Math.ceil(total / page_size));
    const links = Array.from({ length: Math.min(pages, 100) }, (_, at) =>
      String(at + 1) === number
        ? html`<b aria-current="page">${at + 1}</b>`
        : html`<a href="${context.path}?number=${at + 1}">${at + 1}</a>`,
    );
    const nav = html`<nav class="pager" aria-label="Pages of the timeline">
<a href="${context.path}">Beginning and end</a>${joined(links, ' ')}</nav>`;
    return html`<div class="talk">${number === '1' ? first : ''}${shown}</div>${nav}`;
  }
  if (omitted === null) return html`<div class="talk">${first}${shown}</div>`;
  const more = html`<p class="omitted"><a class="button" href="${context.path}?number=1">${omitted.count} more</a></p>`;
  return html`<div class="talk">${first}${shown.slice(0, omitted.after)}${more}${shown.slice(omitted.after)}</div>`;
}
