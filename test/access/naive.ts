import type { Requirement } from './requirements.ts';

/** A credential's permissions in a repository or organization, and its holder's role there. */
type There = {
  /** The caller's own role there. */
  readonly role: string | undefined;
  /** Whether the caller is a security manager of the organization, or of the one that owns the repository. */
  readonly managesSecurity: boolean;
  /** Whether the credential reaches the repository or organization beyond public data. */
  readonly reached: boolean;
};

/** The facts for a decision, as plain values. */
export type Facts = {
  readonly kind: string;
  readonly scopes: readonly string[];
  /** Levels by category: `{ issues: 'write' }`. */
  readonly permissions: Readonly<Record<string, string>>;
  readonly siteAdmin: boolean;
  /** Whether a session was begun or confirmed lately. */
  readonly isRecent: boolean;
  /** The repository of the path. */
  readonly repo?: There & {
    readonly visibility: 'public' | 'internal' | 'private';
    readonly archived: boolean;
    readonly locked: boolean;
    /** The limit on interactions in force. */
    readonly limit: 'existing_users' | 'contributors_only' | 'collaborators_only' | undefined;
    /** The reasons that may admit the caller despite the limit. */
    readonly standing: readonly ('role' | 'commit' | 'age')[];
  };
  /** The organization of the path. */
  readonly org?: There;
};

export type Outcome = 'allowed' | 'unauthenticated' | 'forbidden' | 'not_found';

/** Every scope with all scopes that it includes. */
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

/** Categories that concern an organization although their names don't say so. */
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

const kinds = ['classic_pat', 'fine_grained_pat', 'oauth_app', 'app_user', 'installation', 'session'];

/**
 * The documents' rules about access, as one list from top to bottom: the first matching rule decides. It is deliberately slow and
 * plain, independent of `authorize`, and uses nothing from `src/`.
 */
export function naive(needs: Requirement, facts: Facts, write: boolean): Outcome {
  const { kind, repo, org } = facts;
  const rule = needs.permission ?? {};
  const reason = typeof rule === 'object' ? (rule.none ?? '') : '';
  const isPublicPlace = repo === undefined || repo.visibility === 'public';
  const isKnown = kinds.includes(kind);
  const accepted = needs.credentials ?? kinds;
  const isScoped = kind === 'classic_pat' || kind === 'oauth_app';

  // A scope for a specific resource is enough for that resource, even if the rest of the repository is out of its reach.
  const special = isScoped && repo?.role !== undefined && hasOne(withoutRepo(needs), facts);
  const known = isPublicPlace || (repo.reached && (repo.role !== undefined || kind === 'installation')) || special;
  // An app may look up its own installation anywhere. If it has none, its handler finds nothing.
  if (reason === 'app_jwt' && kind === 'app_jwt') return 'allowed';
  if (!known) return 'not_found';
  if (reason === 'public' || reason === 'token_exchange') return 'allowed';
  const isOpen = needs.public === true && isPublicPlace && !write;
  if (isOpen) return !isKnown || accepted.includes(kind) ? 'allowed' : 'forbidden';
  if (kind === 'none') return 'unauthenticated';
  if (reason === 'app_jwt') return 'unauthenticated';
  if (reason === 'client_secret') return kind === 'client' ? 'allowed' : 'not_found';
  if (!isKnown || !accepted.includes(kind)) return 'forbidden';
  if (reason === 'site_admin') {
    const isEnough = kind === 'session' ? facts.isRecent : kind === 'classic_pat' && facts.scopes.includes('site_admin');
    return facts.siteAdmin && isEnough ? 'allowed' : 'forbidden';
  }

  // For the caller's own data in a visible repository, document 2 requires 403 if the token lacks a scope.
  const isOwn = reason === 'own_account' && repo !== undefined;
  const quietly: Outcome = write || (repo === undefined && org === undefined) || isOwn ? 'forbidden' : 'not_found';
  if (isScoped && !scopesServe(needs, facts)) return quietly;
  // A session does what its person may do.
  if (!isScoped && kind !== 'session' && reason === '' && !permissionsServe(needs, facts)) return 'forbidden';
  if (repo?.archived && write && needs.archived !== 'allowed') return 'forbidden';
  if (repo?.locked && write && needs.locked !== 'allowed') return 'forbidden';
  if (kind === 'installation') return 'allowed';
  if (needs.role !== undefined) {
    const isOfOrganization = needs.role === 'member' || needs.role === 'owner';
    const there = isOfOrganization ? org : repo;
    const hasRole = there?.role !== undefined && ranks[needs.role]?.includes(there.role) === true;
    const isManager = needs.orRole === 'security_manager' && there?.managesSecurity === true;
    if (!hasRole && !isManager) return quietly;
  }
  if (needs.interaction !== true || repo?.limit === undefined) return 'allowed';
  const excused = letIn[repo.limit] ?? [];
  return repo.standing.some((one) => excused.includes(one)) ? 'allowed' : 'forbidden';
}

/** What admits a caller under each limit. */
const letIn: Readonly<Record<string, readonly string[]>> = {
  existing_users: ['role', 'commit', 'age'],
  contributors_only: ['role', 'commit'],
  collaborators_only: ['role'],
};

const withoutRepo = ({ scopes = [] }: Requirement): string[] => scopes.filter((scope) => scope !== 'repo');

const hasOne = (wanted: readonly string[], { scopes }: Facts): boolean =>
  wanted.some((one) => scopes.some((scope) => scope === one || brings[scope]?.includes(one)));

function scopesServe({ scopes = [], alsoScopes = [] }: Requirement, facts: Facts): boolean {
  if (alsoScopes.some((scope) => !hasOne([scope], facts))) return false;
  if (scopes.length === 0) return true;
  const isPublic = facts.repo?.visibility === 'public';
  return hasOne(isPublic && scopes.includes('repo') ? [...scopes, 'public_repo'] : scopes, facts);
}

function permissionsServe({ permission = {} }: Requirement, { permissions, repo, org }: Facts): boolean {
  const has = (needed: string): boolean => {
    const [category = '', level = ''] = needed.split(':');
    const isOrganizations = category.startsWith('organization_') || ofOrganizations.has(category);
    const isRepositories = !isOrganizations && !ofAccounts.has(category);
    // A permission counts where the credential reaches: repository permissions in the repository of the path, any other in its
    // organization.
    const place = isRepositories ? (repo ?? org) : (org ?? repo);
    const counts = place === undefined || place.reached;
    // Reading public metadata needs nothing. For other metadata, the credential must reach the repository.
    if (category === 'metadata' && level === 'read') return counts;
    const given = counts ? permissions[category] : undefined;
    if (level === 'admin') return given === 'admin';
    return level === 'write' ? given === 'write' || given === 'admin' : given !== undefined;
  };
  if (typeof permission === 'string') return has(permission);
  if (permission.anyOf) return permission.anyOf.some(has);
  return permission.allOf ? permission.allOf.every(has) : true;
}
