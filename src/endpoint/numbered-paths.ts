// Addresses that name an account, a repository or a team by its id. The public API serves them wherever it serves the address by
// names, and its clients know them from pagination links. They are derived from the declarations. No endpoint declares them.
import type { Endpoint } from './endpoint.ts';
import type { AnyPathResource } from './path-resource.ts';
import { type IdRoots, wordsOf } from './path-words.ts';

/** The beginning of a path with names, and the equivalent beginning with ids. Longer beginnings come first. */
type Beginning = {
  readonly named: string;
  readonly numbered: keyof IdRoots | '/user/{user_id}' | '/organizations/{organization_id}/team/{team_id}';
};

const beginnings: readonly Beginning[] = [
  { named: '/orgs/{org}/teams/{team_slug}', numbered: '/organizations/{organization_id}/team/{team_id}' },
  { named: '/orgs/{org}', numbered: '/organizations/{organization_id}' },
  { named: '/repos/{owner}/{repo}', numbered: '/repositories/{repository_id}' },
  { named: '/repos/{template_owner}/{template_repo}', numbered: '/repositories/{template_id}' },
  { named: '/users/{username}', numbered: '/user/{user_id}' },
];

/** An address with ids, translated to the address with names. */
type NumberedAddress = {
  /** The address with names. Each name is a parameter such as `{owner}`. */
  readonly named: string;
  /** The ids, in the order of the address. */
  readonly numbers: readonly string[];
};

const readers = beginnings.map(({ named, numbered }) => ({
  pattern: new RegExp(`^${numbered.replace(/\{\w+\}/g, '(\\d+)')}(?=[/?]|$)`),
  placeholder: named.replace(/\{\w+\}/g, '-'),
}));

/**
 * The possible meanings of an address with ids; empty if it isn't one.
 * @example readNumberedAddress('/repositories/7/issues?page=2') // [{ named: '/repos/-/-/issues?page=2', numbers: ['7'] }]
 */
export function readNumberedAddress(address: string): NumberedAddress[] {
  return readers.flatMap(({ pattern, placeholder }) => {
    const [found, ...numbers] = pattern.exec(address) ?? [];
    return found === undefined ? [] : [{ named: placeholder + address.slice(found.length), numbers }];
  });
}

const derived = new WeakMap<Endpoint, Map<string, Endpoint | undefined>>();

/**
 * The endpoint for addresses with this number of ids. It has the same access, handler and schemas, and a path that names its root
 * by id. Undefined if the endpoint has no such address. It is made once for each endpoint.
 */
export function numberedEndpoint(endpoint: Endpoint, numbers: number): Endpoint | undefined {
  const known = derived.get(endpoint) ?? new Map<string, Endpoint | undefined>();
  derived.set(endpoint, known);
  const beginning = beginnings.find(
    ({ named, numbered }) => endpoint.path.startsWith(named) && wordsOf(numbered).length === numbers,
  );
  if (!beginning) return undefined;
  if (!known.has(beginning.numbered)) known.set(beginning.numbered, derive(endpoint, beginning));
  return known.get(beginning.numbered);
}

function derive(endpoint: Endpoint, { named, numbered }: Beginning): Endpoint {
  const path = numbered + endpoint.path.slice(named.length);
  const { resources } = endpoint;
  if (!resources || !wordsOf(numbered).includes('team_id')) return { ...endpoint, path };
  return { ...endpoint, path, resources: resources.map(byId) };
}

/** The resource that is found by id, if it has one. The same applies to its parents. */
function byId(resource: AnyPathResource): AnyPathResource {
  if (resource.byId) return resource.byId;
  return typeof resource.below === 'object' ? { ...resource, below: byId(resource.below) } : resource;
}
