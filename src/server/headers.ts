import type { FastifyReply } from 'fastify';
import { acceptedPermissions, acceptedScopes, type Policy } from '#access/policy.ts';
import { normalizeScopes } from '#access/scopes.ts';
import { isScoped, isToken, type Viewer } from '#access/viewer.ts';
import { timestamp } from '#lib/time.ts';
import { emitHeader, emitValue } from '#vocabulary/headers.ts';
import type { Vocabulary } from '#vocabulary/words.ts';

/**
 * The headers about the credential, and about the scopes or permissions that the endpoint needs (document 1, Authentication 3 and
 * 5).
 */
export function accessHeaders(access: Policy, { grant }: Viewer): Record<string, string> {
  if (!isToken(grant)) return {};
  const expiry: Record<string, string> = grant.expiresAt
    ? { 'service-authentication-token-expiration': timestamp(grant.expiresAt) }
    : {};
  if (isScoped(grant)) {
    return {
      ...expiry,
      'x-oauth-scopes': normalizeScopes(grant.scopes).join(', '),
      'x-accepted-oauth-scopes': acceptedScopes(access),
    };
  }
  return { ...expiry, 'x-accepted-service-permissions': acceptedPermissions(access.permission) };
}

/** Translates the headers of a reply into the words of the vocabulary. */
export function emitReplyHeaders(reply: FastifyReply, vocabulary: Vocabulary): void {
  if (vocabulary === 'service') return;
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    const emitted = { name: emitHeader(vocabulary, name), value: emitValue(vocabulary, name, value) };
    if (emitted.name === name && emitted.value === value) continue;
    reply.removeHeader(name);
    reply.header(emitted.name, emitted.value);
  }
}

/** The headers of a reply. Other origins may read replies of the API, which uses no cookies, but never a page. */
export const headersOf = (reply: FastifyReply): readonly (readonly [name: string, value: string])[] =>
  isOfPage(reply) ? pageHeaders : commonHeaders;

/** Whether a reply is a page, or bytes that stand beside pages. */
const isOfPage = (reply: FastifyReply): boolean =>
  String(reply.getHeader('content-type') ?? '').startsWith('text/html') ||
  String(reply.getHeader('content-security-policy') ?? '').endsWith('sandbox');

/** The headers of replies that aren't pages. They forbid browsers to run, frame or sniff them. */
const commonHeaders: readonly (readonly [name: string, value: string])[] = Object.entries({
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'ETag, Link, Location, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Used, ' +
    'X-RateLimit-Resource, X-RateLimit-Reset, X-OAuth-Scopes, X-Accepted-OAuth-Scopes, ' +
    'X-Accepted-Service-Permissions, X-Service-Media-Type, X-Service-Api-Version-Selected, X-Service-Request-Id, ' +
    'X-Poll-Interval',
  'content-security-policy': "default-src 'none'",
  'referrer-policy': 'origin-when-cross-origin, strict-origin-when-cross-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'deny',
});

const pageHeaders = commonHeaders.filter(([name]) => !name.startsWith('access-control-'));
