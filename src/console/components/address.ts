// Addresses of pages on this server, without its origin.

import type { PageQuery } from '#console/page.ts';
import { path } from '#endpoint/links.ts';

/** The path of a page, whose words are escaped. Slashes within a word are kept. */
export const pagePath = (...words: readonly (string | number)[]): string => path('', ...words);

/** The same page with other parameters; undefined removes one. */
export function withQuery(address: string, changes: PageQuery | Readonly<Record<string, string | number | undefined>>): string {
  const [path = '', query = ''] = address.split('?');
  const parameters = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes))
    if (value === undefined) parameters.delete(name);
    else parameters.set(name, String(value));
  const text = parameters.toString();
  return text === '' ? path : `${path}?${text}`;
}

/** The path of an address of this server; other addresses stay whole. */
export const localAddress = (address: string, origin: string): string =>
  address.startsWith(`${origin}/`) ? address.slice(origin.length) : address;
