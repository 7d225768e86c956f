import type { FastifyRequest } from 'fastify';
import findMyWay from 'find-my-way';
import type { Endpoint } from '#endpoint/endpoint.ts';
import { type Route, routesOf } from './routes.ts';

export const apiPrefix = '/api/v3';

/** The endpoint that a request is for, its route as logs and metrics name it, and the words of its path. */
export type Match = { readonly endpoint: Endpoint; readonly route: string; readonly words: Readonly<Record<string, string>> };

/** Finds the endpoint of a method and an address below `apiPrefix`, with or without a query. */
export type Router = (method: string, address: string) => Match | undefined;

const routers = new WeakMap<readonly Endpoint[], Router>();

/**
 * The router of endpoints, made once for each list of them: to add a thousand routes takes longer than all else that a server does at its
 * start, and Fastify does more for each of its own routes than is needed here, where all are served alike.
 */
export function routerOf(endpoints: readonly Endpoint[]): Router {
  const router = routers.get(endpoints) ?? makeRouter(endpoints);
  routers.set(endpoints, router);
  return router;
}

/** @throws Error where two endpoints have the same address */
function makeRouter(endpoints: readonly Endpoint[]): Router {
  const router = findMyWay({ maxParamLength: 4096 });
  for (const route of routesOf(endpoints)) router.on(route.method, apiPrefix + route.pattern, () => undefined, route);
  return (method, address) => {
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
}

/** The route of a request, for the log and for metrics; undefined where there is none. */
export const routeOf = ({ match, routeOptions }: FastifyRequest): string | undefined =>
  match === undefined ? routeOptions.url : match?.route;
