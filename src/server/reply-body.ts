import type { Endpoint } from '#endpoint/endpoint.ts';
import type { ListPosition, Paging } from '#endpoint/paging.ts';
import { type ApiVersion, apiVersions } from '#endpoint/versions.ts';
import type { Listed, Neighbours, Page, Uncounted } from '#lib/page.ts';

/** `list` is set for a page of a list. The `Link` header is made from it. */
type ReplyBody = { status: number; body: unknown; list?: ListPosition };

/** The styles of uncounted lists. */
const uncounted: ReadonlySet<Paging['style']> = new Set(['cursors', 'since']);

/** The status and body of a handler's result. */
export function replyBody(endpoint: Endpoint, handled: unknown, page: Page): ReplyBody {
  const { only, envelopes } = repliesOf(endpoint);
  // If there are several statuses, reply() created the result.
  const { status, body: result } =
    only === undefined ? (handled as { status: number; body: unknown }) : { status: only, body: handled };
  if (!endpoint.paging || page.limit === 0 || result === undefined) return { status, body: result };
  if (endpoint.paging.style === 'inside') {
    const { body, total } = result as { body: unknown; total: number }; // the result of a handler for such pages
    return { status, body, list: { total: Math.min(total, endpoint.paging.most ?? total) } };
  }
  if (uncounted.has(endpoint.paging.style)) {
    const { rows, next, previous } = result as Uncounted<unknown>; // the result of a handler for such lists
    return { status, body: rows, list: { next, previous } };
  }
  // what a paged handler returns
  const { rows, total, extra, next, previous } = result as Listed<unknown> & Neighbours & { extra?: object };
  const envelope = envelopes.get(status);
  // The list comes before other fields, since client libraries that follow pages take the first unknown field for the list.
  const body = envelope ? { ...(envelope.isCounted && { total_count: total }), [envelope.name]: rows, ...extra } : rows;
  const counted = page.isUncounted ? {} : { total: Math.min(total, endpoint.paging.most ?? total) };
  return { status, body, list: { ...counted, next, previous } };
}

/** Whether a page of the endpoint's list shows the total number of rows. */
export const showsTotal = (endpoint: Endpoint): boolean => repliesOf(endpoint).showsTotal;

/** The name of the array in a list's envelope, and whether the envelope has the number of rows. */
type Envelope = { readonly name: string; readonly isCounted: boolean };

/** What the schemas of an endpoint's replies define. */
type Replies = {
  /** The status, if there is only one. */
  readonly only: number | undefined;
  readonly envelopes: ReadonlyMap<number, Envelope>;
  readonly showsTotal: boolean;
};

/** Computed once from the schemas of each endpoint. */
const known = new WeakMap<Endpoint, Replies>();

function repliesOf(endpoint: Endpoint): Replies {
  const replies = known.get(endpoint) ?? readReplies(endpoint);
  known.set(endpoint, replies);
  return replies;
}

function readReplies(endpoint: Endpoint): Replies {
  const statuses = Object.keys(endpoint.replies).map(Number);
  const envelopes = new Map(statuses.flatMap((status) => envelopeOf(endpoint, status) ?? []));
  return {
    only: statuses.length > 1 ? undefined : (statuses[0] ?? 200),
    envelopes,
    showsTotal: [...envelopes.values()].some(({ isCounted }) => isCounted),
  };
}

function envelopeOf(endpoint: Endpoint, status: number): [number, Envelope][] | undefined {
  const { properties = {} } = (endpoint.replies[status] ?? {}) as { properties?: Record<string, { type?: string }> };
  const name = Object.entries(properties).find(([, property]) => property.type === 'array')?.[0];
  return name === undefined ? undefined : [[status, { name, isCounted: 'total_count' in properties }]];
}

/** Applies the changes of the requested version and of earlier ones, oldest first. */
export function changedSince(endpoint: Endpoint, version: ApiVersion, body: unknown): unknown {
  if (!endpoint.since) return body;
  const active = apiVersions.slice(0, apiVersions.indexOf(version) + 1);
  return active.reduce((changed, name) => endpoint.since?.[name]?.(changed) ?? changed, body);
}
