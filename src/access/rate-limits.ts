import { isIP } from 'node:net';
import { sql } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import { removeSome } from '#database/remove-some.ts';
import type { Caller } from '#lib/caller.ts';
import type { Account, Viewer } from './viewer.ts';

/** The buckets that requests count against (document 1, Limits). */
export type Bucket = 'core' | 'search' | 'code_search' | 'semantic_search' | 'pages';
export type RateLimit = { resource: Bucket; limit: number; used: number; remaining: number; reset: number };

/** How many requests each bucket allows in its window. If `enabled` is false, nothing is counted. */
export type Limits = {
  readonly enabled: boolean;
  readonly core: number;
  readonly coreAnonymous: number;
  readonly search: number;
  readonly searchAnonymous: number;
  readonly codeSearch: number;
  readonly semanticSearch: number;
  /** Pages in a browser. */
  readonly pages: number;
  readonly pagesAnonymous: number;
};

/**
 * The searches' figures come from document 1. It is silent about core, which has the public API's figure. Anonymous readers of
 * pages get enough for an office behind one address.
 */
export const defaultLimits: Limits = {
  enabled: true,
  core: 5_000,
  coreAnonymous: 60,
  search: 30,
  searchAnonymous: 10,
  codeSearch: 10,
  semanticSearch: 10,
  pages: 5_000,
  pagesAnonymous: 1_000,
};

const minute = 60;
const hour = 3600;

/** The number of requests that a viewer may send in a bucket's window, and the window in seconds. */
export function allowance(limits: Limits, bucket: Bucket, { grant }: Viewer): { limit: number; window: number } {
  const signedIn = grant.kind !== 'none';
  switch (bucket) {
    case 'core':
      return { limit: signedIn ? limits.core : limits.coreAnonymous, window: hour };
    case 'search':
      return { limit: signedIn ? limits.search : limits.searchAnonymous, window: minute };
    case 'code_search':
      return { limit: limits.codeSearch, window: minute };
    case 'semantic_search':
      return { limit: limits.semanticSearch, window: minute };
    case 'pages':
      return { limit: signedIn ? limits.pages : limits.pagesAnonymous, window: hour };
  }
}

const accountKey = (id: Account['id']): string => `account:${id}`;

/** The caller for work of an account that no request of its own causes. */
export const accountCaller = (id: Account['id']): Caller => ({ key: accountKey(id), kind: 'signed_in' });

/** The caller for something that an account owns, and that uses the account's share of the process. */
export const ownedCaller = (key: string, owner: Account['id']): Caller => ({ key, kind: 'signed_in', share: accountKey(owner) });

/**
 * The caller that a request counts against: an account with all its tokens and keys, an installation, an app, a deploy key, or
 * else the client's address.
 */
export function callerOf(viewer: Viewer, address: string): Caller {
  const { grant } = viewer;
  if (grant.kind === 'installation') return ownedCaller(`installation:${grant.installationId}`, grant.ownerId);
  if (grant.kind === 'deploy_key') return ownedCaller(`deploy_key:${grant.keyId}`, grant.ownerId);
  if (grant.kind === 'app_jwt' || grant.kind === 'client') return ownedCaller(`app:${grant.appId}`, grant.ownerId);
  if (viewer.account) return accountCaller(viewer.account.id);
  return { key: `address:${networkOf(address)}`, kind: 'anonymous' };
}

/**
 * The address that is counted: an IPv4 address, or the /64 prefix of an IPv6 one, since one subscriber usually has all of a /64.
 */
function networkOf(address: string): string {
  // `X-Forwarded-For` may hold any text. Everything that isn't an address counts as one caller.
  if (isIP(address) === 0) return 'unknown';
  if (!address.includes(':') || address.includes('.')) return address;
  const [head = '', tail] = address.replace(/%.*$/, '').split('::');
  const splitGroups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const [first, last] = [splitGroups(head), splitGroups(tail ?? '')];
  const zeros = Array<string>(Math.max(0, 8 - first.length - last.length)).fill('0');
  const groups = [...first, ...(tail === undefined ? [] : zeros), ...last];
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, '').toLowerCase())
    .join(':')}::/64`;
}

/**
 * Counts one use of a limited resource by the caller with this key. It is one statement, so the count is exact with many requests
 * and processes. The database's clock ends the windows, since the clocks of processes differ.
 * @param window seconds
 * @returns the uses in the window, when it ends (seconds since 1970), and how many seconds remain
 */
export async function countUse(
  db: Db,
  { key, bucket, window }: { key: string; bucket: string; window: number },
): Promise<{ used: number; reset: number; wait: number }> {
  const { rows } = await sql<{ used: number; reset: number; wait: number }>`
    insert into rate_limits as l (key, bucket, window_ends, used)
    values (${key}, ${bucket}, now() + make_interval(secs => ${window}), 1)
    on conflict (key, bucket) do update set
      used = case when l.window_ends <= now() then 1 else l.used + 1 end,
      window_ends = case when l.window_ends <= now() then excluded.window_ends else l.window_ends end
    returning used, extract(epoch from window_ends)::bigint as reset,
      ceil(extract(epoch from window_ends - now()))::integer as wait`.execute(db);
  return rows[0] ?? { used: 1, reset: 0, wait: 0 };
}

/** Counts one request, and returns the state of its bucket. */
export async function consumeRequest(
  db: Db,
  key: string,
  bucket: Bucket,
  { limit, window }: { limit: number; window: number },
): Promise<RateLimit & { exceeded: boolean }> {
  const { used, reset } = await countUse(db, { key, bucket, window });
  return {
    resource: bucket,
    limit,
    used: Math.min(used, limit),
    remaining: Math.max(0, limit - used),
    reset,
    exceeded: used > limit,
  };
}

/** Undoes the count of a request. As in the public API, a 304 to a signed-in viewer doesn't count. */
export const refundRequest = (db: Db, key: string, bucket: Bucket) =>
  sql`update rate_limits set used = greatest(used - 1, 0) where key = ${key} and bucket = ${bucket}`.execute(db);

/** Removes some of the windows that have ended. Returns whether there may be more. */
export const removeEndedWindows = (tx: Tx): Promise<boolean> => removeSome(tx, 'rate_limits', sql`window_ends < now()`);

type RequestSource = { viewer: Viewer; address: string };

/**
 * The state of all buckets of a viewer. It counts nothing. `now` is the real time, since the database's clock ends the windows.
 */
export async function readLimits(db: Db, limits: Limits, { viewer, address }: RequestSource, now: Date): Promise<RateLimit[]> {
  const { key } = callerOf(viewer, address);
  const rows = await db.selectFrom('rate_limits').selectAll().where('key', '=', key).where('window_ends', '>', now).execute();
  return (['core', 'search', 'code_search', 'semantic_search'] as const).map((resource) => {
    const { limit, window } = allowance(limits, resource, viewer);
    const row = rows.find((candidate) => candidate.bucket === resource);
    const used = Math.min(row?.used ?? 0, limit);
    const reset = Math.floor((row?.window_ends.getTime() ?? now.getTime() + window * 1000) / 1000);
    return { resource, limit, used, remaining: limit - used, reset };
  });
}

/** The `X-RateLimit-*` headers. */
export const limitHeaders = (state: RateLimit): Record<string, string> => ({
  'x-ratelimit-limit': String(state.limit),
  'x-ratelimit-remaining': String(state.remaining),
  'x-ratelimit-used': String(state.used),
  'x-ratelimit-reset': String(state.reset),
  'x-ratelimit-resource': state.resource,
});
