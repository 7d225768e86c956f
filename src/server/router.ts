import type { FastifyRequest } from 'fastify';
import findMyWay from 'find-my-way';
import type { Endpoint } from '#endpoint/endpoint.ts';
import { numberedEndpoint, readNumberedAddress } from '#endpoint/numbered-paths.ts';
import { wordsOf } from '#endpoint/path-words.ts';
import { patternOf, type Route, routesOf } from './routes.ts';

export const apiPrefix = '/api/v3';

/** The endpoint for a request, its route in logs and metrics, and the words of its path. */
export type Match = { readonly endpoint: Endpoint; readonly route: string; readonly words: Readonly<Record<string, string>> };

/** Finds the endpoint for a method and an address below `apiPrefix`, with or without a query. */
type Router = (method: string, address: string) => Match | undefined;

const routers = new WeakMap<readonly Endpoint[], Router>();

/**
 * The router of endpoints, made once for each list. Adding a thousand routes takes longer than the rest of a server's start, and
 * Fastify does more for each of its own routes than is needed here, since all are served in the same way.
 */
export function routerOf(endpoints: readonly Endpoint[]): Router {
  const router = routers.get(endpoints) ?? makeRouter(endpoints);
  routers.set(endpoints, router);
  return router;
}

/** @throws Error if two endpoints have the same address */
function makeRouter(endpoints: readonly Endpoint[]): Router {
  const router = findMyWay({ maxParamLength: 4096 });
  for (const route of routesOf(endpoints)) router.on(route.method, apiPrefix + route.pattern, () => undefined, route);
  const find: Router = (method, address) => {
    const wanted = method === 'HEAD' ? 'GET' : method;
    const found = router.find(wanted as findMyWay.HTTPMethod, address); // an unknown method finds nothing
    const { endpoint, pattern, wildcard } = (found?.store ?? {}) as Partial<Route>;
    if (!found || !endpoint || pattern === undefined) return undefined;
    const words = Object.fromEntries(Object.entries(found.params).map(([name, value]) => [name, value ?? '']));
    return {
      endpoint,
      route: apiPrefix + pattern,
      words: wildcard === undefined ? words : { ...words, [wildcard]: words['*'] ?? '' },
    };
  };
  return (method, address) => find(method, address) ?? findByNumber(find, method, address);
}

/** Finds the endpoint for an address with ids, which has no route of its own. */
function findByNumber(find: Router, method: string, address: string): Match | undefined {
  if (!address.startsWith(apiPrefix)) return undefined;
  for (const { named, numbers } of readNumberedAddress(address.slice(apiPrefix.length))) {
    const found = find(method, apiPrefix + named);
    const endpoint = found && numberedEndpoint(found.endpoint, numbers.length);
    if (endpoint) return numberedMatch(endpoint, { ...found.words, ...idsOf(endpoint, numbers) });
  }
  return undefined;
}

const idsOf = ({ path }: Endpoint, numbers: readonly string[]): Record<string, string> =>
  Object.fromEntries(wordsOf(path).flatMap((word, at) => (numbers[at] === undefined ? [] : [[word, numbers[at]]])));

function numberedMatch(endpoint: Endpoint, words: Readonly<Record<string, string>>): Match {
  const own = wordsOf(endpoint.path).map((word) => [word, words[word] ?? '']);
  return { endpoint, route: apiPrefix + patternOf(endpoint.path), words: Object.fromEntries(own) };
}

/** The route of a request, for the log and for metrics; undefined if no route matches. */
export const routeOf = ({ match, routeOptions }: FastifyRequest): string | undefined =>
  match === undefined ? routeOptions.url : match?.route;
