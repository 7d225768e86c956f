// The addresses of images of other servers on this one. Only this server makes them, so that nobody can have it load another one.
import { timingSafeEqual } from 'node:crypto';
import type { Secrets } from '#lib/secrets.ts';

export const imagePrefix = '/_images/';

/** Longer addresses aren't loaded. */
const longestUrl = 2_000;

const signatureOf = (secrets: Secrets, url: string): Buffer => secrets.digest(url, 'images.address');

/** The path of an image of another server; undefined if its address is too long. */
export const imageAddress = (secrets: Secrets, url: string): string | undefined =>
  url.length > longestUrl
    ? undefined
    : `${imagePrefix}${signatureOf(secrets, url).toString('base64url')}/${Buffer.from(url).toString('base64url')}`;

/** The address in such a path; undefined if this server didn't make it. */
export function imageUrl(secrets: Secrets, { signature, address }: { signature: string; address: string }): URL | undefined {
  const url = Buffer.from(address, 'base64url').toString();
  const [given, expected] = [Buffer.from(signature, 'base64url'), signatureOf(secrets, url)];
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  return URL.parse(url) ?? undefined;
}
