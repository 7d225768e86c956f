// The content security policy of pages.
import { newToken } from '#lib/token.ts';

/** A value for the one style element of a page, which nobody can guess. */
export const newNonce = (): string => newToken('').slice(0, 24);

type PolicyParts = {
  readonly nonce: string;
  /** Where forms of the page may lead besides this server, since browsers apply the policy to redirects of forms too. */
  readonly formTargets?: readonly string[] | undefined;
};

/**
 * The content security policy of pages: no scripts and styles but those of this server, no frames, and forms that go nowhere
 * else. `style-src` allows one element with colours that are data.
 */
export const contentPolicy = ({ nonce, formTargets = [] }: PolicyParts): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self'",
    "connect-src 'self'",
    `form-action ${["'self'", ...formTargets].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** The source of a policy that allows a form to lead to an address: its origin, or its scheme if no source can name that. */
export function formTarget(address: string): string {
  const { protocol, host } = new URL(address);
  const isWeb = protocol === 'https:' || protocol === 'http:';
  return isWeb && /^[\w.-]+(?::\d+)?$/.test(host) ? `${protocol}//${host}` : protocol;
}
