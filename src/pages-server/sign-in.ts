// Sign-in of browsers to private websites. They are redirected to the sign-in pages, and return with a code.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { change, type Database } from '#database/connect.ts';
import { isHttps, type PagesAddress } from '#endpoint/pages-address.ts';
import { newToken } from '#lib/token.ts';
import { exchangeCode, type ServedSite, secretOf, sessionMinutes, signInAddress } from '#resources/actions/pages/index.ts';
import { sendNothing, sendPage } from './send.ts';

type Exchange = { request: FastifyRequest; reply: FastifyReply };

/** The time that a browser has to sign in. */
const nonceMinutes = 60;

/** The cookies of a website: the session, and the nonce for the return from signing in. */
type CookieKind = 'session' | 'nonce';

/** Browsers accept a name with this prefix only from the host itself, so a sibling website can't set another's cookie. */
const nameOf = (pages: PagesAddress, kind: CookieKind): string =>
  `${isHttps(pages) ? '__Host-' : ''}hearth_website${kind === 'nonce' ? '_nonce' : ''}`;

/** The secret in a cookie of this host; undefined if there is no such cookie. Sessions of the server itself don't count here. */
export function cookieOf({ headers }: FastifyRequest, pages: PagesAddress, kind: CookieKind): string | undefined {
  const start = `${nameOf(pages, kind)}=`;
  const pair = headers.cookie?.split('; ').find((text) => text.startsWith(start));
  return secretOf(pair?.slice(start.length));
}

/**
 * Sets a cookie with a secret. Scripts can't read it, and it is sent to this host only, even if another site links here, as the
 * sign-in pages do. The cookie plugin of the sign-in pages would run on every request, and few requests have cookies here.
 */
function setCookie(reply: FastifyReply, pages: PagesAddress, kind: CookieKind, secret: string): void {
  const seconds = 60 * (kind === 'nonce' ? nonceMinutes : sessionMinutes);
  const rules = `Max-Age=${seconds}; Path=/; HttpOnly; SameSite=Lax${isHttps(pages) ? '; Secure' : ''}`;
  reply.header('set-cookie', `${nameOf(pages, kind)}=${secret}; ${rules}`);
}

/** Redirects a browser that opens a page to the sign-in pages. For resources of a page, it replies 404. */
export function leadToSignIn({ request, reply }: Exchange, pages: PagesAddress): FastifyReply {
  const mode = request.headers['sec-fetch-mode'];
  if (pages.server === undefined || (mode !== undefined && mode !== 'navigate')) return sendNothing(reply);
  // Pages that are opened at the same time share a nonce, so that all of them can return.
  const nonce = cookieOf(request, pages, 'nonce') ?? newToken('');
  setCookie(reply, pages, 'nonce', nonce);
  const { hostname: host, originalUrl: path } = request;
  return reply.redirect(signInAddress(pages.server, { host, nonce, path }), 302);
}

/** Gives a browser that returns with a code a session at the website, and redirects it to the requested page. */
export async function welcomeBack(
  { request, reply }: Exchange,
  { database, clock }: { database: Pick<Database, 'db'>; clock: () => Date },
  { pages, site, url }: { pages: PagesAddress; site: ServedSite; url: string },
): Promise<FastifyReply> {
  const code = secretOf(new URL(request.originalUrl, url).searchParams.get('code') ?? undefined);
  const nonce = cookieOf(request, pages, 'nonce');
  const back = code && (await change(database.db, (tx) => exchangeCode(tx, site, { code, nonce, now: clock() })));
  if (!back) return sendPage(reply.code(403), outOfDate);
  setCookie(reply, pages, 'session', back.token);
  // Another website may have used the domain before. Its scripts in the browser could read this one.
  if (site.domain !== null) reply.header('clear-site-data', '"storage"');
  return reply.redirect(new URL(back.path, url).href, 302);
}

const outOfDate = {
  title: 'Not signed in',
  html: '<p>This address is out of date, or was made for another browser.</p>\n<p><a href="/">Open the website again</a></p>',
};
