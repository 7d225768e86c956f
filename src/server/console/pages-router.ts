import findMyWay from 'find-my-way';
import type { Page } from '#console/page.ts';

/** Whatever has addresses like pages. */
type Addressed = { readonly path: string };

type Match<Item> = { readonly page: Item; readonly route: string; readonly words: Readonly<Record<string, string>> };

/** Finds the page of an address, with or without a query. */
export type PageRouter<Item extends Addressed = Page> = (address: string) => Match<Item> | undefined;

/** The router of all pages. @throws Error if two pages have the same address */
export function pageRouterOf<Item extends Addressed>(pages: readonly Item[]): PageRouter<Item> {
  const router = findMyWay({ maxParamLength: 4096, ignoreTrailingSlash: true });
  for (const page of pages) {
    const rest = /\{(\w+)\*\}$/.exec(page.path)?.[1];
    const pattern = page.path.replace(/\{\w+\*\}$/, '*').replace(/\{(\w+)\}/g, ':$1');
    router.on('GET', pattern, () => undefined, { page, rest, route: pattern });
  }
  return (address) => {
    const found = router.find('GET', address);
    if (!found) return undefined;
    const { page, rest, route } = found.store as { page: Item; rest: string | undefined; route: string };
    const { '*': tail = '', ...named } = found.params;
    const words = rest === undefined ? named : { ...named, [rest]: tail };
    return { page, route, words: words as Record<string, string> };
  };
}
