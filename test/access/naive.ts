import type { Policy } from '#access/policy.ts';
import type { Scope } from '#access/scopes.ts';
import { everyToken } from '#access/tokens.ts';
import type { Viewer } from '#access/viewer.ts';

/** What a decision rests on, as plain values. */
export type Facts = {
  kind: Viewer['grant']['kind'];
  scopes: readonly string[];
  /** Levels by category, where the path points: `{ issues: 'write' }`. */
  held: Readonly<Record<string, string>>;
  siteAdmin: boolean;
  write: boolean;
  place: 'repository' | 'organization' | 'nowhere';
  visibility: 'public' | 'internal' | 'private';
  archived: boolean;
  locked: boolean;
  /** The caller's own role in the repository or organization. */
  role: string | undefined;
  /** Whether the credential reaches the place beyond what is public. */
  reached: boolean;
  /** The limit on interactions in force. */
  limit: 'existing_users' | 'contributors_only' | 'collaborators_only' | undefined;
  /** What speaks for the caller where there is one. */
  standing: readonly ('role' | 'commit' | 'age')[];
};

export type Outcome = 'allowed' | 'unauthenticated' | 'forbidden' | 'not_found';

/** Everything that a scope brings, written out. */
const brings: Readonly<Record<string, readonly string[]>> = {
  repo: ['repo:status', 'repo_deployment', 'public_repo', 'repo:invite', 'security_events'],
  'admin:org': ['write:org', 'read:org', 'manage_runners:org'],
  'write:org': ['read:org'],
  'admin:public_key': ['write:public_key', 'read:public_key'],
  'write:public_key': ['read:public_key'],
  'admin:repo_hook': ['write:repo_hook', 'read:repo_hook'],
  'write:repo_hook': ['read:repo_hook'],
  user: ['read:user', 'user:email', 'user:follow'],
  'write:packages': ['read:packages'],
  'admin:gpg_key': ['write:gpg_key', 'read:gpg_key'],
  'write:gpg_key': ['read:gpg_key'],
  'admin:ssh_signing_key': ['write:ssh_signing_key', 'read:ssh_signing_key'],
  'write:ssh_signing_key': ['read:ssh_signing_key'],
  project: ['read:project'],
};

const ranks: Readonly<Record<string, readonly string[]>> = {
  read: ['read', 'triage', 'write', 'maintain', 'admin'],
  triage: ['triage', 'write', 'maintain', 'admin'],
  write: ['write', 'maintain', 'admin'],
  maintain: ['maintain', 'admin'],
  admin: ['admin'],
  member: ['member', 'owner'],
  owner: ['owner'],
};

/** Categories that are about an organization although their names don't say so. */
const ofOrganizations = new Set(['members', 'issue_fields']);
const ofAccounts = new Set([
  'email_addresses',
  'followers',
  'git_signing_ssh_public_keys',
  'git_ssh_keys',
  'gpg_keys',
  'interaction_limits',
  'profile',
  'starring',
]);

/**
 * The documents' rules on who may call, as one list from top to bottom: the first that fits decides. Slow and plain on purpose,
 * and made without a look at `judge()`.
 */
export function naive(policy: Policy, facts: Facts): Outcome {
  const { kind, place, write, visibility, role, reached } = facts;
  const rule = policy.permission;
  const reason = typeof rule === 'object' && 'none' in rule ? rule.none : '';
  const isPublicPlace = place !== 'repository' || visibility === 'public';
  const isToken = ['classic_pat', 'fine_grained_pat', 'oauth_app', 'app_user', 'installation'].includes(kind);
  const tokens: readonly string[] = policy.tokens ?? everyToken;
  const isScoped = kind === 'classic_pat' || kind === 'oauth_app';

  // A scope that is about one thing is enough for that thing, also where the rest of the repository is out of its reach.
  const special = isScoped && role !== undefined && scopesServe({ ...policy, scopes: withoutRepo(policy) }, facts);
  const known = isPublicPlace || (reached && (role !== undefined || kind === 'installation')) || special;
  // An app may ask for its own installation anywhere: where it has none, its handler finds nothing.
  if (reason === 'app_jwt' && kind === 'app_jwt') return 'allowed';
  if (!known) return 'not_found';
  if (reason === 'public' || reason === 'token_exchange') return 'allowed';
  const isOpen = policy.public === true && isPublicPlace && !write;
  if (isOpen) return !isToken || tokens.includes(kind) ? 'allowed' : 'forbidden';
  if (kind === 'none') return 'unauthenticated';
  if (reason === 'app_jwt') return 'unauthenticated';
  if (reason === 'client_secret') return kind === 'client' ? 'allowed' : 'not_found';
  if (!isToken || !tokens.includes(kind)) return 'forbidden';
  if (reason === 'site_admin')
    return facts.siteAdmin && kind === 'classic_pat' && facts.scopes.includes('site_admin') ? 'allowed' : 'forbidden';

  // Of one's own in a repository that one sees, document 2 says 403 where the token lacks a scope.
  const isOwn = reason === 'own_account' && place === 'repository';
  const quietly: Outcome = write || place === 'nowhere' || isOwn ? 'forbidden' : 'not_found';
  if (isScoped && !scopesServe(policy, facts)) return quietly;
  if (!isScoped && reason === '' && !permissionsServe(policy, facts)) return 'forbidden';
  if (place === 'repository' && facts.archived && write && policy.archived !== 'allowed') return 'forbidden';
  if (place === 'repository' && facts.locked && write && policy.locked !== 'allowed') return 'forbidden';
  if (kind === 'installation') return 'allowed';
  if (policy.role !== undefined && !(role !== undefined && ranks[policy.role]?.includes(role))) return quietly;
  if (policy.interaction !== true || facts.limit === undefined) return 'allowed';
  return facts.standing.some((reason) => letIn[facts.limit ?? '']?.includes(reason)) ? 'allowed' : 'forbidden';
}

/** What lets a caller interact under each limit. */
const letIn: Readonly<Record<string, readonly string[]>> = {
  existing_users: ['role', 'commit', 'age'],
  contributors_only: ['role', 'commit'],
  collaborators_only: ['role'],
};

/** No scope at all is never enough. */
const withoutRepo = ({ scopes = [] }: Policy): Scope[] => {
  const others = scopes.filter((scope) => scope !== 'repo');
  return others.length > 0 ? others : ['none' as Scope];
};

function scopesServe({ scopes = [], alsoScopes = [] }: Policy, { scopes: given, place, visibility }: Facts): boolean {
  const all = given.flatMap((scope) => [scope, ...(brings[scope] ?? [])]);
  if (alsoScopes.filter((scope) => !all.includes(scope)).length > 0) return false;
  if (scopes.length === 0) return true;
  const wanted: string[] = [...scopes];
  if (place === 'repository' && visibility === 'public' && wanted.includes('repo')) wanted.push('public_repo');
  return wanted.some((scope) => all.includes(scope));
}

function permissionsServe({ permission }: Policy, { held, place, reached }: Facts): boolean {
  const has = (needed: string): boolean => {
    const [category = '', level = ''] = needed.split(':');
    const isOrganizations = category.startsWith('organization_') || ofOrganizations.has(category);
    const isRepositories = !isOrganizations && !ofAccounts.has(category);
    // A permission counts where the credential reaches: in the repository for its own ones, else in the organization of the path.
    if (place === 'repository' && isRepositories && !reached) return false;
    if (place === 'organization' && !reached) return false;
    if (category === 'metadata' && level === 'read') return true;
    const given = held[category];
    if (level === 'admin') return given === 'admin';
    return level === 'write' ? given === 'write' || given === 'admin' : given !== undefined;
  };
  if (typeof permission === 'string') return has(permission);
  if ('anyOf' in permission) return permission.anyOf.some(has);
  return 'allOf' in permission ? permission.allOf.every(has) : true;
}
