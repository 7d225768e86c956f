import { hash } from 'node:crypto';

/** A weak ETag: the SHA-256 of the body. */
export const etagOf = (body: string | Buffer): string => `W/"${hash('sha256', body)}"`;

type Validators = { etag: string; lastModified: Date | undefined };
type Conditions = { 'if-none-match'?: string | undefined; 'if-modified-since'?: string | undefined };

/**
 * Whether the client's copy is still valid (RFC 9110, 13.2.2). `If-None-Match` decides if it is given, otherwise
 * `If-Modified-Since`. An unparseable date is ignored.
 */
export function isNotModified(conditions: Conditions, { etag, lastModified }: Validators): boolean {
  const tags = conditions['if-none-match'];
  if (tags !== undefined) {
    return tags.split(',').some((tag) => tag.trim() === '*' || opaqueTag(tag) === opaqueTag(etag));
  }
  const since = Date.parse(conditions['if-modified-since'] ?? '');
  return lastModified !== undefined && !Number.isNaN(since) && Math.floor(lastModified.getTime() / 1000) * 1000 <= since;
}

const opaqueTag = (tag: string): string => tag.trim().replace(/^W\//, '');

/** The `updated_at` of a reply's body; undefined if it has none. */
export function lastModifiedOf(body: unknown): Date | undefined {
  if (typeof body !== 'object' || body === null || !('updated_at' in body) || typeof body.updated_at !== 'string')
    return undefined;
  return new Date(body.updated_at);
}

/**
 * Whether the condition of a poll exactly equals the current `Last-Modified`. A later time doesn't match, since each change has
 * its own time, which may be ahead of the clock. An entity tag takes precedence, and needs the whole reply.
 */
export const isUnchangedPoll = (conditions: Conditions, lastModified: Date): boolean =>
  conditions['if-none-match'] === undefined && Date.parse(conditions['if-modified-since'] ?? '') === lastModified.getTime();
