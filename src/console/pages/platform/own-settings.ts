// The settings of who is signed in: sessions and password.
import { field, formTo } from '#console/components/form.ts';
import { timeAgo } from '#console/components/time.ts';
import { form } from '#console/form.ts';
import { plainFrame } from '#console/frames/plain.ts';
import { type PageQuery, page, read } from '#console/page.ts';
import { attribute, html, type TrustedHtml } from '#html/template.ts';
import { invalid } from '#lib/refusal.ts';
import { isLocalPath } from '#lib/web-address.ts';
import {
  changeOwnPassword,
  confirmSession,
  endOtherSessions,
  endOwnSession,
  listOwnSessions,
} from '#resources/platform/oauth/endpoints.ts';
import { targetsBeyond } from '#resources/platform/oauth/index.ts';
import { browserName } from './browser-name.ts';

const endPath = '/settings/sessions/{session_id}/end';
const passwordPath = '/settings/password';
const confirmPath = '/settings/confirm';

const settingsTabs = (current: 'sessions' | 'password'): TrustedHtml =>
  html`<h1>Your settings</h1><nav class="tabs inner" aria-label="Settings">
<a href="/settings/sessions"${attribute('aria-current', current === 'sessions' && 'page')}>Sessions</a>
<a href="/settings/password"${attribute('aria-current', current === 'password' && 'page')}>Password</a></nav>`;

/** The path to go on at; undefined if the query names none of this server. */
const wantedPath = ({ return_to: path }: PageQuery): string | undefined =>
  path !== undefined && isLocalPath(path) ? path : undefined;

const withPath = (address: string, query: PageQuery): string => {
  const path = wantedPath(query);
  return path === undefined ? address : `${address}?return_to=${encodeURIComponent(path)}`;
};

export const sessionsPage = page({
  path: '/settings/sessions',
  frame: plainFrame,
  isForPeople: true,
  reads: () => ({ sessions: read(listOwnSessions) }),
  render({ sessions }, request) {
    const ended = (id: number) =>
      formTo(request, `/settings/sessions/${id}/end`, html`<button>End</button>`, {
        className: 'push',
        path: endPath,
      });
    const row = ({ id, agent, address, created_at, last_used_at, is_current }: (typeof sessions)[number]) =>
      html`<li><div class="grow"><span class="title">${browserName(agent)}</span>${
        is_current ? html` <span class="state open">this one</span>` : ''
      }<p class="soft small">from ${address === '' ? 'an address that is not known' : address}, begun ${timeAgo(
        created_at,
        request.now,
      )}${last_used_at === null ? '' : html`, last used ${timeAgo(last_used_at, request.now)}`}</p></div>
${is_current ? '' : ended(id)}</li>`;
    return {
      title: 'Sessions',
      body: html`${settingsTabs('sessions')}${
        request.query.changed === undefined
          ? ''
          : html`<p class="notice" role="status">Your password was changed. All other sessions have ended.</p>`
      }
<div class="stack"><p class="soft">Browsers that are signed in as you. End those that you don’t know, and change your password
then.</p>
<ul class="rows panel">${sessions.map(row)}</ul>
${
  sessions.length > 1
    ? formTo(request, '/settings/sessions/end-others', html`<button>End all other sessions</button>`)
    : html`<p class="soft small">No other browser is signed in as you.</p>`
}</div>`,
    };
  },
});

export const endSessionForm = form({
  path: endPath,
  page: sessionsPage,
  endpoint: endOwnSession,
  next: () => '/settings/sessions',
});

export const endOthersForm = form({
  path: '/settings/sessions/end-others',
  page: sessionsPage,
  endpoint: endOtherSessions,
  next: () => '/settings/sessions',
});

const presentPassword = {
  name: 'password',
  label: 'Present password',
  type: 'password',
  autocomplete: 'current-password',
} as const;

export const passwordPage = page({
  path: passwordPath,
  frame: plainFrame,
  isForPeople: true,
  render(_found, request) {
    const { person, query } = request;
    const notice = person?.must_change_password
      ? html`<p class="notice">Somebody else has set your password. Choose one that only you know, and go on.</p>`
      : '';
    return {
      title: 'Password',
      formTargets: targetsBeyond(wantedPath(query) ?? '/'),
      body: html`${settingsTabs('password')}${notice}${formTo(
        request,
        withPath(passwordPath, query),
        html`${field(request, presentPassword)}
${field(request, {
  name: 'wanted',
  label: 'New password',
  type: 'password',
  autocomplete: 'new-password',
  hint: 'At least 10 characters. Several words are easy to remember.',
  minlength: 10,
})}
${field(request, { name: 'again', label: 'The new password again', type: 'password', autocomplete: 'new-password' })}
<p><button class="first">Change the password</button></p>
<p class="soft small">All your other sessions end. Tokens and keys stay.</p>`,
        { path: passwordPath },
      )}`,
    };
  },
});

export const passwordForm = form({
  path: passwordPath,
  page: passwordPage,
  endpoint: changeOwnPassword,
  body({ fields }) {
    const wanted = fields.text('wanted');
    if (wanted !== fields.text('again')) throw invalid('Password', 'again', 'invalid', 'The two new passwords differ');
    return { password: fields.text('password'), wanted };
  },
  next: (_reply, { query }) => wantedPath(query) ?? '/settings/sessions?changed=1',
});

export const confirmPage = page({
  path: confirmPath,
  frame: plainFrame,
  isForPeople: true,
  render: (_found, request) => ({
    title: 'Confirm it’s you',
    formTargets: targetsBeyond(wantedPath(request.query) ?? '/'),
    body: html`<div class="narrow stack"><h1>Confirm it’s you</h1>
<p>You are signed in as <strong>${request.person?.login ?? ''}</strong>. What you want to do needs your password once more. It is
enough for ten minutes.</p>${formTo(
      request,
      withPath(confirmPath, request.query),
      html`${field(request, { ...presentPassword, label: 'Password' })}<p><button class="first">Confirm</button></p>`,
      { path: confirmPath },
    )}</div>`,
  }),
});

export const confirmForm = form({
  path: confirmPath,
  page: confirmPage,
  endpoint: confirmSession,
  body: ({ fields }) => ({ password: fields.text('password') }),
  next: (_reply, { query }) => wantedPath(query) ?? '/',
});
