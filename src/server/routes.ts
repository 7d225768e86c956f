import type { Endpoint, Method } from '#endpoint/endpoint.ts';
import { wordSchemasOf } from '#endpoint/path-resource.ts';
import { mayHoldSlashes } from '#endpoint/path-words.ts';
import { publicPath } from '#vocabulary/paths.ts';

/** Paths whose last word and its slash are optional: the root folder, the default branch. */
const optionalAtEnd = /\/(contents\/\{path\}|(?:tarball|zipball)\/\{ref\})$/;

/** A route of the router. Without an endpoint, it answers 404. `wildcard` is the path word that matches its wildcard. */
export type Route = { method: Method; pattern: string; endpoint?: Endpoint; wildcard?: string };

/**
 * The routes of endpoints. At the end of a path, a word that may contain slashes (a file's path, a ref, a label) becomes a
 * wildcard. In the middle, clients must escape the slashes.
 */
export function routesOf(endpoints: readonly Endpoint[]): Route[] {
  const routes = endpoints.flatMap(declaredRoutes);
  const declared = [...routes, ...postedPatches(routes)];
  const known = new Set(declared.map(shapeOf));
  const unknown = declared.flatMap((route) => (route.wildcard === undefined ? [] : undeclaredBelow(route, declared)));
  const others = unknown.filter((route) => !known.has(shapeOf(route)) && known.add(shapeOf(route)));
  return [...declared, ...others];
}

/**
 * Changes that are sent with POST, by clients older than PATCH. The public API accepts them if no operation has that address with
 * POST.
 */
function postedPatches(routes: readonly Route[]): Route[] {
  const known = new Set(routes.map(shapeOf));
  return routes
    .filter(({ method }) => method === 'PATCH')
    .map((route): Route => ({ ...route, method: 'POST' }))
    .filter((route) => !known.has(shapeOf(route)));
}

const shapeOf = ({ method, pattern }: Route): string => `${method} ${pattern.replace(/:\w+/g, ':')}`;

/** A declared path in the syntax of the router and the log. */
export const patternOf = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1');

/** Former addresses of the public API that its clients still use. */
const formerPaths: ReadonlyMap<string, string> = new Map([
  ['/orgs/{org}/dependency-bot/repository-access', '/organizations/{org}/dependabot/repository-access'],
  [
    '/orgs/{org}/dependency-bot/repository-access/default-level',
    '/organizations/{org}/dependabot/repository-access/default-level',
  ],
  // Every `statuses_url` uses it.
  ['/repos/{owner}/{repo}/commits/{ref}/statuses', '/repos/{owner}/{repo}/statuses/{ref}'],
]);

function declaredRoutes(endpoint: Endpoint): Route[] {
  const { method, path: neutral } = endpoint;
  // the API's own address, in all spellings of clients
  if (neutral === '/') return ['', '/'].map((pattern) => ({ method, pattern, endpoint }));
  const paths = [neutral, publicPath(neutral) ?? [], formerPaths.get(neutral) ?? []].flat();
  return paths.flatMap((path): Route[] => {
    const wildcard = wildcardOf(endpoint, path);
    if (wildcard === undefined) return [{ method, pattern: patternOf(path), endpoint }];
    const prefix = patternOf(path.slice(0, -`/{${wildcard}}`.length));
    const patterns = [`${prefix}/*`, ...(optionalAtEnd.test(path) ? [prefix] : [])];
    return patterns.map((pattern) => ({ method, pattern, endpoint, wildcard }));
  });
}

/** The last word of a path, if it may contain slashes. */
function wildcardOf(endpoint: Endpoint, path: string): string | undefined {
  const word = /\{(\w+)\}$/.exec(path)?.[1] ?? '';
  const schema = wordSchemasOf(endpoint).get(word);
  return schema && mayHoldSlashes(schema) ? word : undefined;
}

/** The addresses below a route with a wildcard that exist, but not with its method. */
function undeclaredBelow({ method, pattern }: Route, declared: readonly Route[]): Route[] {
  const below = `${pattern.replace(/\*$/, '')}:`;
  // A pattern that ends where the wildcard begins has the wildcard's own word.
  const isBelow = (known: string): boolean => known.startsWith(below) && known.slice(below.length).includes('/');
  const patterns = declared.map((route) => route.pattern).filter(isBelow);
  return patterns.map((known) => ({ method, pattern: known }));
}
