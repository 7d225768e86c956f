// The tokens of forms.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const length = 32;

/** What the forms of a session have in common. It never stands in a page as it is. */
const secretOf = (session: string): Buffer => createHmac('sha256', session).update('csrf').digest();

const mixed = (one: Buffer, other: Buffer): Buffer => Buffer.from(one.map((byte, at) => byte ^ (other[at] ?? 0)));

/**
 * A token for the forms of one page. Other sites can't know it, so they can't submit a form for the user. It is masked by random
 * bytes, so that it differs on each page: the sizes of compressed pages disclose nothing of it (BREACH).
 */
export function csrfOf(session: string): string {
  const mask = randomBytes(length);
  return Buffer.concat([mask, mixed(secretOf(session), mask)]).toString('base64url');
}

/** Whether a token is one of this session's. */
export function isCsrfOf(session: string, token: string | undefined): boolean {
  const given = Buffer.from((token ?? '').slice(0, 4 * length), 'base64url');
  if (given.length !== 2 * length) return false;
  return timingSafeEqual(mixed(given.subarray(length), given.subarray(0, length)), secretOf(session));
}
