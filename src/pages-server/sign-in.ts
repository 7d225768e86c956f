// How browsers come to see a website that not everybody may see. They are led to the sign-in pages, and bring back a code.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { change, type Database } from '#database/connect.ts';
import { isHttps, type PagesAddress } from '#endpoint/pages-address.ts';
import { newToken } from '#lib/token.ts';
import { exchangeCode, type ServedSite, secretOf, sessionMinutes, signInAddress } from '#resources/actions/pages/index.ts';
import { sendNothing, sendPage } from './send.ts';

type Exchange = { request: FastifyRequest; reply: FastifyReply };

/** How long a browser may take to sign in. */
const nonceMinutes = 60;

/** The cookies of a website: what a browser reads it by, and what it comes back by from signing in. */
type CookieKind = 'session' | 'nonce';

/** Browsers take a name with this prefix from the host itself alone, so that no website beside it can set the cookie of another. */
const nameOf = (pages: PagesAddress, kind: CookieKind): string =>
  `${isHttps(pages) ? '__Host-' : ''}hearth_website${kind === 'nonce' ? '_nonce' : ''}`;

/** The secret of a cookie of this host; undefined where there is none. The sessions of the server itself count for nothing here. */
export function cookieOf({ headers }: FastifyRequest, pages: PagesAddress, kind: CookieKind): string | undefined {
  const start = `${nameOf(pages, kind)}=`;
  const pair = headers.cookie?.split('; ').find((text) => text.startsWith(start));
  return secretOf(pair?.slice(start.length));
}

/**
 * Gives the browser a secret, which scripts can't read, and which is sent to this host alone: also when another site leads here, as the sign-in
 * pages do. The plugin of the sign-in pages would work on every request, and few have cookies here.
 */
function setCookie(reply: FastifyReply, pages: PagesAddress, kind: CookieKind, secret: string): void {
  const seconds = 60 * (kind === 'nonce' ? nonceMinutes : sessionMinutes);
  const rules = `Max-Age=${seconds}; Path=/; HttpOnly; SameSite=Lax${isHttps(pages) ? '; Secure' : ''}`;
  reply.header('set-cookie', `${nameOf(pages, kind)}=${secret}; ${rules}`);
}

/** Leads a browser that opens a page to the sign-in pages; what a page loads isn't there. */
export function leadToSignIn({ request, reply }: Exchange, pages: PagesAddress): FastifyReply {
  const mode = request.headers['sec-fetch-mode'];
  if (pages.server === undefined || (mode !== undefined && mode !== 'navigate')) return sendNothing(reply);
  // Pages that are opened side by side have the same one, so that all of them come back.
  const nonce = cookieOf(request, pages, 'nonce') ?? newToken('');
  setCookie(reply, pages, 'nonce', nonce);
  const { hostname: host, originalUrl: path } = request;
  return reply.redirect(signInAddress(pages.server, { host, nonce, path }), 302);
}

/** Gives a browser that comes back with a code a session at the website, and leads it to where it wanted to go. */
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
  // A domain may have been that of another website before, whose scripts wait in the browser to read this one.
  if (site.domain !== null) reply.header('clear-site-data', '"storage"');
  return reply.redirect(new URL(back.path, url).href, 302);
}

const outOfDate = {
  title: 'Not signed in',
  html: '<p>This address is out of date, or was made for another browser.</p>\n<p><a href="/">Open the website again</a></p>',
};
