import { expect } from 'vitest';
import type { Client } from './client.ts';

/** The items of a list, from this page and all pages that `Link` leads to. The reply for each page is checked. */
// biome-ignore lint/suspicious/noExplicitAny: items are JSON, which each test compares with what it expects
export async function everyPage(client: Client, path: string): Promise<any[]> {
  const { status, body, headers } = await client.get(path);
  expect([path, status]).toEqual([path, 200]);
  const next = /<([^>]+)>; rel="next"/.exec(headers.link ?? '')?.[1];
  if (next === undefined) return body;
  const { pathname, search } = new URL(next);
  return [...body, ...(await everyPage(client, pathname.replace('/api/v3', '') + search))];
}
