// Readers of private websites. A browser signs in at the server, and returns to the website with a code.
import { loadRoleLevels } from '#access/lookup.ts';
import type { Account } from '#access/viewer.ts';
import type { Db, Tx } from '#database/connect.ts';
import { labelOf, originFor, type PagesAddress, siteUrl } from '#endpoint/pages-address.ts';
import { addMinutes } from '#lib/time.ts';
import { hashToken, isWellFormed, newToken } from '#lib/token.ts';
import { isLocalPath } from '#lib/web-address.ts';
import { consumeCode, insertCode, putSession } from './reader-store.ts';
import { keyOfAddress, loadServedSites, type ServedSite } from './served-sites.ts';

/** The server's path at which readers sign in, and the website's path to which they return. */
export const signInPath = '/login/website';
export const comeBackPath = '/.well-known/hearth-sign-in';

const codeMinutes = 1;
export const sessionMinutes = 12 * 60;
const maxPath = 2_048;

/** The secret in a browser's cookie; undefined if this server can't have issued it. */
export const secretOf = (cookie: string | undefined): string | undefined =>
  cookie !== undefined && isWellFormed(cookie, ['']) ? cookie : undefined;

/**
 * The address at which a browser signs in to see a website.
 * @param nonce the browser's secret for the website. The address contains only its SHA-256, so that nobody else can use the code
 * @param path the page to go to; the root if it is too long
 */
export function signInAddress(server: string, { host, nonce, path }: { host: string; nonce: string; path: string }): string {
  const query = new URLSearchParams({
    host,
    nonce: hashToken(nonce).toString('base64url'),
    return_to: isReturnPath(path) ? path : '/',
  });
  return `${server}${signInPath}?${query}`;
}

/** The request for a sign-in address. */
type SignIn = { readonly host: string; readonly nonceHash: Buffer; readonly path: string };

/** Reads the query of a sign-in address; undefined if it is invalid, for example if its path leads to another server. */
export function readSignIn({ host, nonce, return_to: path }: Readonly<Record<string, string | undefined>>): SignIn | undefined {
  if (host === undefined || nonce === undefined || path === undefined) return undefined;
  return /^[\w-]{43}$/.test(nonce) && isReturnPath(path) ? { host, nonceHash: Buffer.from(nonce, 'base64url'), path } : undefined;
}

const isReturnPath = (path: string): boolean => path.length <= maxPath && isLocalPath(path);

/**
 * The website with a host of its own, and its address; undefined if no private website has this host, or the account may not
 * read it. The role in the repository decides, as in the API.
 */
export async function findWebsite(
  db: Db,
  pages: PagesAddress | undefined,
  { host, account, now }: { host: string; account: Account; now: Date },
): Promise<(ServedSite & { url: string }) | undefined> {
  if (!pages?.server) return undefined;
  const hostname = host.toLowerCase();
  const label = labelOf(pages.origin, hostname);
  const address = { ...(label === undefined ? { domain: hostname } : { label }), first: undefined, suffixes: [] };
  const key = keyOfAddress(address);
  const site = (await loadServedSites(db, new Map([[key, address]]), now)).get(key);
  // Public websites need no sign-in, and redirecting to them would allow redirects to any domain.
  if (!site || site.label === null) return undefined;
  const levels = await loadRoleLevels(db, account.id, [site.repository]);
  if (!levels.get(site.repository)) return undefined;
  const url = siteUrl(originFor({ html: pages.server }, pages), pages, { ...site, owner: { login: site.login } });
  return { ...site, url };
}

/**
 * The address at which a browser returns to a website with a new code. The code is valid for its session at the server, the
 * website and the nonce.
 */
export async function offerCode(
  tx: Tx,
  { repository, url }: Pick<ServedSite, 'repository'> & { url: string },
  { session_hash, nonceHash, path, now }: Pick<SignIn, 'nonceHash' | 'path'> & { session_hash: Buffer; now: Date },
): Promise<string> {
  const code = newToken('');
  await insertCode(tx, {
    hash: hashToken(code),
    session_hash,
    repository_id: repository,
    nonce_hash: nonceHash,
    return_path: path,
    expires_at: addMinutes(now, codeMinutes),
  });
  return `${new URL(comeBackPath, url)}?code=${code}`;
}

/**
 * Exchanges a code for a session at a website. The code is used up even if that is refused.
 * @returns the token of the session and the path to go to; undefined if the code is expired, or for another website or browser
 */
export async function exchangeCode(
  tx: Tx,
  { repository }: Pick<ServedSite, 'repository'>,
  { code, nonce = '', now }: { code: string; nonce: string | undefined; now: Date },
): Promise<{ token: string; path: string } | undefined> {
  const row = await consumeCode(tx, hashToken(code));
  const isRight = row && row.repository_id === repository && row.expires_at > now && row.nonce_hash.equals(hashToken(nonce));
  if (!isRight) return undefined;
  const token = newToken('');
  const session = { hash: hashToken(token), session_hash: row.session_hash, repository_id: repository };
  const isStored = await putSession(tx, { ...session, expires_at: addMinutes(now, sessionMinutes) });
  return isStored ? { token, path: row.return_path } : undefined;
}
