import type { Endpoint } from '#endpoint/endpoint.ts';
import type { Paging } from '#endpoint/paging.ts';
import { type ApiVersion, apiVersions } from '#endpoint/versions.ts';
import type { Listed, Neighbours, Page, Uncounted } from '#lib/page.ts';

/** What the `Link` header of a page of a list follows from: the number of rows, or the pages beside it. */
type ListPosition = { total: number } | Neighbours;

/** `list` is set for a page of a list. */
type ReplyBody = { status: number; body: unknown; list?: ListPosition };

/** The styles of lists that nobody counts. */
const uncounted: ReadonlySet<Paging['style']> = new Set(['cursors', 'since', 'around']);

/** The status and body of a handler's result. */
export function replyBody(endpoint: Endpoint, handled: unknown, page: Page): ReplyBody {
  const statuses = Object.keys(endpoint.replies).map(Number);
  const several = statuses.length > 1 ? (handled as { status: number; body: unknown }) : undefined; // what reply() made
  const { status, body: result } = several ?? { status: statuses[0] ?? 200, body: handled };
  if (!endpoint.paging || page.limit === 0 || result === undefined) return { status, body: result };
  if (endpoint.paging.style === 'inside') {
    const { body, total } = result as { body: unknown; total: number }; // what a handler of such pages returns
    return { status, body, list: { total: Math.min(total, endpoint.paging.most ?? total) } };
  }
  if (uncounted.has(endpoint.paging.style)) {
    const { rows, next, previous } = result as Uncounted<unknown>; // what a handler of such lists returns
    return { status, body: rows, list: { next, previous } };
  }
  const { rows, total, extra, next } = result as Listed<unknown> & { extra?: object; next?: string }; // what a paged handler returns
  const envelope = envelopeOf(endpoint, status);
  // The list comes before other fields, since client libraries that follow pages take the first unknown field for the list.
  const body = envelope ? { total_count: total, [envelope]: rows, ...extra } : rows;
  return {
    status,
    body,
    list: endpoint.paging.style === 'after' ? { next } : { total: Math.min(total, endpoint.paging.most ?? total) },
  };
}

/** The name of the array in a list's envelope, read from the reply's schema. */
function envelopeOf(endpoint: Endpoint, status: number): string | undefined {
  const schema = endpoint.replies[status] as { properties?: Record<string, { type?: string }> } | undefined;
  return Object.entries(schema?.properties ?? {}).find(([, property]) => property.type === 'array')?.[0];
}

/** Applies the changes of the requested version and of those before it, oldest first. */
export function changedSince(endpoint: Endpoint, version: ApiVersion, body: unknown): unknown {
  if (!endpoint.since) return body;
  const active = apiVersions.slice(0, apiVersions.indexOf(version) + 1);
  return active.reduce((changed, name) => endpoint.since?.[name]?.(changed) ?? changed, body);
}
