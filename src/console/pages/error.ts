import type { PageContent, PageRequest } from '#console/page.ts';
import { icon } from '#html/icons.ts';
import { html, type TrustedHtml } from '#html/template.ts';

type ShownError = { readonly status: number; readonly message: string; readonly requestId: string };

/** The page of an error: what happened, that nothing was lost, and what to do. */
export function errorContent({ status, message, requestId }: ShownError, { person, address }: PageRequest): PageContent {
  if (status === 404) return { title: 'Not found', body: notFoundBody(person !== undefined, address) };
  if (status === 403 && person?.site_admin && message === 'Must be a site administrator')
    return { title: 'Confirm it’s you', body: confirmation(address) };
  if (status === 403 || status === 429)
    return { title: 'Please wait', body: problem('This can’t be shown now', html`<p>${message}</p>`) };
  if (status >= 500)
    return {
      title: 'Something went wrong',
      body: problem(
        'Something went wrong',
        html`<p>The server could not show this page. Nothing was changed. Please try again in a moment.</p>
<p class="soft small">If it happens again, tell the administrator of this server: request <code>${requestId}</code>.</p>`,
      ),
    };
  return { title: 'This can’t be shown', body: problem('This can’t be shown', html`<p>${message}</p>`) };
}

const notFoundBody = (isSignedIn: boolean, address: string): TrustedHtml =>
  problem(
    'There is nothing here',
    isSignedIn
      ? html`<p>The address may be wrong, or you may not have access to what is here.</p><p><a href="/">Go to your work</a></p>`
      : html`<p>The address may be wrong, or this is only for people who are signed in.</p>
<p><a class="button first" href="/login?return_to=${encodeURIComponent(address)}">${icon('sign-in')}Sign in</a></p>`,
  );

/** Administration needs a recent sign-in. */
const confirmation = (address: string): TrustedHtml =>
  problem(
    'Confirm it’s you',
    html`<p>Administration needs a password that was entered during the last ten minutes.</p>
<p><a class="button first" href="/settings/confirm?return_to=${encodeURIComponent(address)}">Enter the password</a></p>`,
  );

const problem = (title: string, text: TrustedHtml): TrustedHtml =>
  html`<div class="empty">${icon('warning', 'large')}<h1>${title}</h1>${text}</div>`;
