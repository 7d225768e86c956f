// Walks all links of the pages that one viewer sees, by plain HTTP.
import type { Account } from '#access/viewer.ts';
import { allPages } from '#console/all.ts';
import { pageRouterOf } from '#server/console/pages-router.ts';
import { type ReadDocument, readDocument } from './html.ts';
import { sessionCookie } from './page-client.ts';
import type { World } from './world.ts';

export type Crawled = {
  /** The path and the query. */
  readonly address: string;
  /** The page that links here; undefined for those where the walk began. */
  readonly from: string | undefined;
  readonly status: number;
  /** Where it leads, if it is a redirect of this server. */
  readonly to: string | undefined;
  /** Without its own address. */
  readonly text: string;
  /** Undefined for what is no page. */
  readonly document: ReadDocument | undefined;
};

/** A link to a part of a page. */
type Anchor = { readonly from: string; readonly address: string; readonly id: string };

export type Crawl = { readonly found: ReadonlyMap<string, Crawled>; readonly anchors: readonly Anchor[] };

const atOnce = 4;
/** The pages of one kind. More of them show nothing new. */
const perKind = 40;
const inAll = 2_000;

const find = pageRouterOf(allPages);

/** The kind of a page: its declared path, or its own path if it has none. */
export const kindOf = (address: string): string => find(address)?.page.path ?? address.replace(/\?.*$/, '');

const isOfApi = (path: string): boolean => /^\/api(\/|$)/.test(path);
/** The API's reference is a page of a library. */
const isReference = (path: string): boolean => /^\/docs(\/|$)/.test(path);

/** Starts at the given addresses as an account, or as a visitor. */
export async function crawl(world: World, account: Account | undefined, start: readonly string[]): Promise<Crawl> {
  const cookie = account && (await sessionCookie(world, account));
  const headers = { accept: 'text/html,*/*;q=0.5', ...(cookie === undefined ? {} : { cookie }) };
  const found = new Map<string, Crawled>();
  const anchors: Anchor[] = [];
  const kinds = new Map<string, number>();
  const wanted: { address: string; from: string | undefined }[] = [];
  const seen = new Set<string>();

  /** Adds the target of a link to what is read, and returns its address if it is one of this server. */
  function add(link: string, from: string | undefined): string | undefined {
    const url = URL.parse(link, world.url + (from ?? '/'));
    if (!url || url.origin !== world.url || isOfApi(url.pathname)) return undefined;
    const address = url.pathname + url.search;
    if (from !== undefined && url.hash.length > 1) anchors.push({ from, address, id: decodeURIComponent(url.hash.slice(1)) });
    if (seen.has(address) || seen.size >= inAll) return address;
    const count = kinds.get(kindOf(address)) ?? 0;
    if (from !== undefined && count >= perKind) return address;
    kinds.set(kindOf(address), count + 1);
    seen.add(address);
    wanted.push({ address, from });
    return address;
  }

  async function readOne({ address, from }: (typeof wanted)[number]): Promise<void> {
    const response = await fetch(world.url + address, { headers, redirect: 'manual' });
    const isHtml = (response.headers.get('content-type') ?? '').startsWith('text/html');
    const isPage = isHtml && !isReference(address);
    const location = response.headers.get('location');
    const whole = isPage ? await response.text() : '';
    if (!isPage) await response.body?.cancel();
    const to = location === null ? undefined : add(location, from ?? address);
    const document = isPage ? readDocument(whole) : undefined;
    if (response.status === 200) for (const link of document?.links ?? []) add(link, address);
    found.set(address, { address, from, status: response.status, to, text: withoutAddress(whole, address), document });
  }

  for (const address of start) add(address, undefined);
  let working = 0;
  await new Promise<void>((resolve, reject) => {
    const next = (): void => {
      if (wanted.length === 0 && working === 0) resolve();
      while (working < atOnce) {
        const one = wanted.shift();
        if (!one) return;
        working++;
        readOne(one).then(() => {
          working--;
          next();
        }, reject);
      }
    };
    next();
  });
  return { found, anchors };
}

/** A page without the address that was asked for, which the page of what doesn't exist repeats. */
function withoutAddress(text: string, address: string): string {
  const [path = ''] = address.split('?');
  return [address, path].reduce((rest, known) => rest.replaceAll(encodeURIComponent(known), '').replaceAll(known, ''), text);
}

/** What an address leads to at last. */
export function endOf({ found }: Crawl, address: string): Crawled | undefined {
  let one = found.get(address);
  for (let step = 0; step < 5 && one?.to !== undefined; step++) one = found.get(one.to);
  return one;
}
