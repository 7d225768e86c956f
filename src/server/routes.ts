import { greedyWords, wordsOf } from '#endpoint/path-words.ts';

/** Paths whose last word is optional, with its slash: the root folder, the default branch. */
const optionalAtEnd = /\/(contents\/\{path\}|(?:tarball|zipball)\/\{ref\})$/;

/** A router pattern for a declared path, and the path word that matches its wildcard. */
export type Route = { pattern: string; wildcard?: string };

/**
 * The patterns of the router for a path. At the end of a path, a word that may hold slashes (a file's path, a ref) becomes a
 * wildcard. In the middle, clients must escape the slashes.
 */
export function routesOf(path: string): Route[] {
  if (path === '/') return [{ pattern: '' }, { pattern: '/' }]; // the API's own address, as clients write it
  const words = wordsOf(path);
  const last = words.at(-1);
  const greedy = last !== undefined && greedyWords.has(last) && path.endsWith(`{${last}}`);
  const plain = (text: string): string => text.replace(/\{(\w+)\}/g, ':$1');
  if (!greedy) return [{ pattern: plain(path) }];
  const prefix = plain(path.slice(0, -`/{${last}}`.length));
  const routes: Route[] = [{ pattern: `${prefix}/*`, wildcard: last }];
  if (optionalAtEnd.test(path)) routes.push({ pattern: prefix, wildcard: last });
  return routes;
}
