import findMyWay from 'find-my-way';
import type { Form } from '#console/form.ts';
import type { Page } from '#console/page.ts';

type Words = Readonly<Record<string, string>>;
type PageMatch = { readonly page: Page; readonly route: string; readonly words: Words };
type FormMatch = { readonly form: Form; readonly route: string; readonly words: Words };

/** Finds the page of an address, with or without a query. */
export type PageRouter = (address: string) => PageMatch | undefined;

/** Finds the form that is sent to an address. */
export type FormRouter = (address: string) => FormMatch | undefined;

/** The router of all pages. @throws Error if two pages have the same address */
export function pageRouterOf(pages: readonly Page[]): PageRouter {
  const find = routerOf(pages);
  return (address) => {
    const found = find(address);
    return found && { page: found.declared, route: found.route, words: found.words };
  };
}

/** The router of all forms. @throws Error if two forms have the same address */
export function formRouterOf(forms: readonly Form[]): FormRouter {
  const find = routerOf(forms);
  return (address) => {
    const found = find(address);
    return found && { form: found.declared, route: found.route, words: found.words };
  };
}

type Match<Declared> = { readonly declared: Declared; readonly route: string; readonly words: Words };

function routerOf<Declared extends { readonly path: string }>(
  all: readonly Declared[],
): (address: string) => Match<Declared> | undefined {
  const router = findMyWay({ maxParamLength: 4096, ignoreTrailingSlash: true });
  for (const declared of all) {
    const rest = /\{(\w+)\*\}$/.exec(declared.path)?.[1];
    const pattern = declared.path.replace(/\{\w+\*\}$/, '*').replace(/\{(\w+)\}/g, ':$1');
    router.on('GET', pattern, () => undefined, { declared, rest, route: pattern });
  }
  return (address) => {
    const found = router.find('GET', address);
    if (!found) return undefined;
    const { declared, rest, route } = found.store as { declared: Declared; rest: string | undefined; route: string };
    const { '*': tail = '', ...named } = found.params;
    const words = rest === undefined ? named : { ...named, [rest]: tail };
    return { declared, route, words: words as Words };
  };
}
