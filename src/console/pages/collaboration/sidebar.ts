// What stands beside the conversation of an issue or a pull request.
import { localAddress, pagePath } from '#console/components/address.ts';
import { labelLink } from '#console/components/label.ts';
import { avatar, personWithAvatar, type ShownAccount } from '#console/components/person.ts';
import { icon } from '#html/icons.ts';
import { html, type Insertable, type TrustedHtml } from '#html/template.ts';
import type { Conversation } from '#resources/collaboration/timelines/schemas.ts';
import { labelQuery, relationIcon } from './rows.ts';
import type { TimelineContext } from './timeline.ts';

type Issue = Conversation['issue'];
type Related = Conversation['related'][number];

/** A part of what stands beside a conversation. */
export const sideSection = (title: string, content: Insertable): TrustedHtml =>
  html`<section><h2>${title}</h2>${content}</section>`;

const none = (text: string): TrustedHtml => html`<p class="soft">${text}</p>`;

/** A bar of how much is done. */
export const progressBar = (done: number, total: number, what: string): TrustedHtml =>
  html`<progress max="${Math.max(1, total)}" value="${done}" aria-label="${what}">${done} of ${total}</progress>`;

function labels({ labels: all }: Issue, { repository, isPull }: TimelineContext): TrustedHtml {
  const list = pagePath(repository, isPull ? 'pulls' : 'issues');
  const is = isPull ? 'is:pr' : 'is:issue';
  if (all.length === 0) return none('None');
  return html`<p class="row">${all.map((label) =>
    labelLink(label, `${list}?q=${encodeURIComponent(labelQuery(is, label.name))}`),
  )}</p>`;
}

function milestone({ milestone: found }: Issue, { request }: TimelineContext): TrustedHtml {
  if (!found) return none('None');
  const total = found.open_issues + found.closed_issues;
  return html`<p><a href="${localAddress(found.html_url, request.links.html)}">${found.title}</a></p>
${progressBar(found.closed_issues, total, 'Progress of the milestone')}
<p class="soft small">${found.closed_issues} of ${total} closed</p>`;
}

type FieldValue = Issue['issue_field_values'][number];

const fieldText = ({ value, multi_select_options, single_select_option }: FieldValue): string =>
  multi_select_options?.map(({ name }) => name).join(', ') ?? single_select_option?.name ?? String(value ?? '');

const fields = ({ issue_field_values: values }: Issue): TrustedHtml =>
  html`<dl class="facts small">${values.map(
    (value) => html`<dt>${value.issue_field_name}</dt><dd>${fieldText(value)}</dd>`,
  )}</dl>`;

const relationTitles = {
  parent: 'Parent',
  sub_issue: 'Sub-issues',
  blocked_by: 'Blocked by',
  blocking: 'Blocking',
  closed_by: 'Pull requests that close this',
  closes: 'Closes',
} as const satisfies Partial<Record<Related['kind'], string>>;

function relatedLink(one: Related, { request, repository }: TimelineContext): TrustedHtml {
  const { number, title, html_url } = one;
  const reference = one.repository === repository ? `#${number}` : `${one.repository}#${number}`;
  return html`<li>${relationIcon(one)}
<a href="${localAddress(html_url, request.links.html)}">${title} <span class="soft">${reference}</span></a></li>`;
}

function relations({ related, issue }: Conversation, context: TimelineContext): TrustedHtml[] {
  const kinds = Object.keys(relationTitles) as (keyof typeof relationTitles)[];
  const { total, completed } = issue.sub_issues_summary;
  return kinds.flatMap((kind) => {
    const some = related.filter((one) => one.kind === kind);
    if (some.length === 0) return [];
    const progress =
      kind === 'sub_issue'
        ? html`${progressBar(completed, total, 'Progress of the sub-issues')}
<p class="soft small">${completed} of ${total} closed</p>`
        : '';
    return [
      sideSection(
        relationTitles[kind],
        html`${progress}<ul class="side-list">${some.map((one) => relatedLink(one, context))}</ul>`,
      ),
    ];
  });
}

/** The people who take part in what is shown. */
function participants({ issue, entries, omitted }: Conversation, { request }: TimelineContext): TrustedHtml {
  const found = new Map<number, ShownAccount>();
  const add = (account: ShownAccount | null | undefined) => account && found.set(account.id, account);
  add(issue.user);
  for (const account of issue.assignees) add(account);
  for (const entry of entries) {
    if (entry.event === 'line-commented' && 'comments' in entry) for (const { user } of entry.comments) add(user);
    else if ((entry.event === 'commented' || entry.event === 'reviewed') && 'user' in entry) add(entry.user);
  }
  const isPart = omitted !== null || request.query.number !== undefined;
  return sideSection(
    isPart ? 'People on this page' : 'Participants',
    html`<p class="row faces">${[...found.values()].slice(0, 40).map(
      (account) =>
        html`<a href="/${account.login}" title="${account.login}">${avatar(account)}
<span class="unseen">${account.login}</span></a>`,
    )}</p>`,
  );
}

/** Tasks in the text of an issue, and how many of them are done. */
function tasksOf(text: string | undefined): { readonly done: number; readonly total: number } {
  const boxes = text?.match(/<input\b[^>]*type="checkbox"[^>]*>/g) ?? [];
  return { total: boxes.length, done: boxes.filter((box) => /\schecked\b/.test(box)).length };
}

/** The whole side. `first`: what stands before all. */
export function sidebar(shown: Conversation, context: TimelineContext, first: Insertable = ''): TrustedHtml {
  const { issue } = shown;
  const tasks = tasksOf(issue.body_html);
  return html`<aside class="side" aria-label="Details">${first}${sideSection(
    'Assignees',
    issue.assignees.length === 0
      ? none('Nobody')
      : html`<ul class="side-list">${issue.assignees.map((one) => html`<li>${personWithAvatar(one)}</li>`)}</ul>`,
  )}${sideSection('Labels', labels(issue, context))}${sideSection('Milestone', milestone(issue, context))}${
    issue.issue_field_values.length === 0 ? '' : sideSection('Fields', fields(issue))
  }${
    tasks.total === 0
      ? ''
      : sideSection(
          'Tasks',
          html`${progressBar(tasks.done, tasks.total, 'Progress of the tasks')}
<p class="soft small">${tasks.done} of ${tasks.total} done</p>`,
        )
  }${relations(shown, context)}${participants(shown, context)}${
    issue.locked
      ? html`<section><p class="soft">${icon('lock')} Locked${
          issue.active_lock_reason === null ? '' : html` as ${issue.active_lock_reason}`
        }: only people with write access may comment.</p></section>`
      : ''
  }</aside>`;
}
