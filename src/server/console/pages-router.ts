import findMyWay from 'find-my-way';
import type { Form } from '#console/form.ts';
import type { Page } from '#console/page.ts';

/** Whatever has addresses like pages. */
type Addressed = { readonly path: string };

type Match<Item> = { readonly page: Item; readonly words: Readonly<Record<string, string>> };

/** Finds the page of an address, with or without a query. */
export type PageRouter<Item extends Addressed = Page> = (address: string) => Match<Item> | undefined;

/** Finds the form that is sent to an address. */
export type FormRouter = PageRouter<Form>;

type Route<Item> = { readonly page: Item; readonly rest: string | undefined };

/**
 * The router of all pages, or of all forms. A path may end with a star, so that its last word holds slashes, and with an
 * ending such as `.diff`.
 * @throws Error if two of them have the same address
 */
export function pageRouterOf<Item extends Addressed>(pages: readonly Item[]): PageRouter<Item> {
  const routers = new Map<string, findMyWay.Instance<findMyWay.HTTPVersion.V1>>();
  for (const page of pages) {
    const [, path = '', ending = ''] = /^(.*?)((?<=\})\.[a-z.]+)?$/.exec(page.path) ?? [];
    const router = routers.get(ending) ?? findMyWay({ maxParamLength: 4096, ignoreTrailingSlash: true });
    routers.set(ending, router);
    const rest = /\{(\w+)\*\}$/.exec(path)?.[1];
    const pattern = path.replace(/\{\w+\*\}$/, '*').replace(/\{(\w+)\}/g, ':$1');
    router.on('GET', pattern, () => undefined, { page, rest });
  }
  // Longer endings come first, so that none is taken for a part of a name.
  const endings = [...routers.keys()].toSorted((one, other) => other.length - one.length);
  return (address) => {
    const path = address.replace(/\?.*$/s, '');
    for (const ending of endings) {
      const found = path.endsWith(ending) && routers.get(ending)?.find('GET', path.slice(0, path.length - ending.length));
      if (!found) continue;
      const { page, rest } = found.store as Route<Item>;
      const { '*': tail = '', ...named } = found.params;
      const words = rest === undefined ? named : { ...named, [rest]: tail };
      return { page, words: words as Record<string, string> };
    }
    return undefined;
  };
}
