/** Scopes of classic tokens and OAuth apps, each with the scopes that it includes (the public API's hierarchy). */
const hierarchy = {
  repo: ['repo:status', 'repo_deployment', 'public_repo', 'repo:invite', 'security_events'],
  'repo:status': [],
  repo_deployment: [],
  public_repo: [],
  'repo:invite': [],
  security_events: [],
  workflow: [],
  'admin:org': ['write:org', 'manage_runners:org'],
  'write:org': ['read:org'],
  'read:org': [],
  'manage_runners:org': [],
  'admin:public_key': ['write:public_key'],
  'write:public_key': ['read:public_key'],
  'read:public_key': [],
  'admin:repo_hook': ['write:repo_hook'],
  'write:repo_hook': ['read:repo_hook'],
  'read:repo_hook': [],
  'admin:org_hook': [],
  gist: [],
  notifications: [],
  user: ['read:user', 'user:email', 'user:follow'],
  'read:user': [],
  'user:email': [],
  'user:follow': [],
  delete_repo: [],
  'write:packages': ['read:packages'],
  'read:packages': [],
  'delete:packages': [],
  'admin:gpg_key': ['write:gpg_key'],
  'write:gpg_key': ['read:gpg_key'],
  'read:gpg_key': [],
  'admin:ssh_signing_key': ['write:ssh_signing_key'],
  'write:ssh_signing_key': ['read:ssh_signing_key'],
  'read:ssh_signing_key': [],
  project: ['read:project'],
  'read:project': [],
  site_admin: [],
} as const;

export type Scope = keyof typeof hierarchy;

export const scopes = Object.keys(hierarchy) as Scope[];

export const isScope = (name: string): name is Scope => Object.hasOwn(hierarchy, name);

/** Document 1 has two spellings of one scope. Both are accepted, and `manage_runners:org` is stored. */
export const canonicalScope = (name: string): string => (name === 'manage_runner:org' ? 'manage_runners:org' : name);

/** The given scopes, and all scopes that they include. */
export function expandScopes(given: readonly string[]): Set<string> {
  const all = new Set<string>();
  const add = (name: string): void => {
    if (all.has(name)) return;
    all.add(name);
    if (isScope(name)) for (const included of hierarchy[name]) add(included);
  };
  for (const name of given) add(canonicalScope(name));
  return all;
}

/**
 * The scopes that a token stores: the given ones in their order, without unknown scopes and without scopes that another one
 * includes.
 */
export function normalizeScopes(given: readonly string[]): Scope[] {
  const distinct = [...new Set(given.map(canonicalScope))].filter(isScope);
  return distinct.filter((name) => !distinct.some((other) => other !== name && expandScopes([other]).has(name)));
}
