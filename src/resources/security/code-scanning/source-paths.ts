// The paths of a tool's results in the repository.
import type { Fields } from './sarif.ts';

type Bases = {
  /** The folder in which the tool ran, as the upload names it. */
  readonly checkoutUri: string | null;
  /** The base addresses that a run defines, by their ids (SARIF, 3.14.14). */
  readonly bases: Fields;
  readonly baseId: string;
};

const maxPath = 1_024;

/**
 * The path of a file, relative to the root of the repository. The folder of the checkout is removed from an address below it; an
 * address elsewhere on the tool's machine keeps its whole path.
 */
export function fileOf(uri: string, { checkoutUri, bases, baseId }: Bases): string {
  const checkout = withSlash(checkoutUri ?? '');
  const base = baseOf(bases, baseId, 0);
  const whole = isAbsolute(uri) || uri.startsWith('/') ? uri : `${base}${uri}`;
  const root = checkout || (base !== '' && whole.startsWith(base) ? base : '');
  const inside = root !== '' && asFile(whole).startsWith(asFile(root)) ? asFile(whole).slice(asFile(root).length) : asFile(whole);
  const parts = decoded(inside)
    .replaceAll('\0', '')
    .split('/')
    .filter((part) => part !== '' && part !== '.');
  const path: string[] = [];
  for (const part of parts)
    if (part === '..') path.pop();
    else path.push(part);
  return path.join('/').slice(0, maxPath).toWellFormed();
}

/** The address of a base, which may be relative to another one. */
function baseOf(bases: Fields, id: string, depth: number): string {
  const base = id === '' || !Object.hasOwn(bases, id) ? undefined : bases[id];
  if (typeof base !== 'object' || base === null || depth > maxBases) return '';
  const { uri, uriBaseId } = base as Fields; // JSON has no other objects
  const own = typeof uri === 'string' ? uri : '';
  if (isAbsolute(own) || typeof uriBaseId !== 'string') return withSlash(own);
  return withSlash(`${baseOf(bases, uriBaseId, depth + 1)}${own}`);
}

const maxBases = 10;

const isAbsolute = (uri: string): boolean => /^[a-z][a-z0-9+.-]*:/i.test(uri);
const withSlash = (uri: string): string => (uri === '' || uri.endsWith('/') ? uri : `${uri}/`);
/** An address of a file without its scheme. */
const asFile = (uri: string): string => uri.replace(/^file:\/\/(?:localhost)?/i, '');

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
