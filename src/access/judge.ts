import { holds, type Permission, type PermissionSet, permissionScope } from './permissions.ts';
import { alternatives, type Policy } from './policy.ts';
import { type OrgRole, type Role, reaches, roles } from './roles.ts';
import { expandScopes } from './scopes.ts';
import { everyToken, hasScopes } from './tokens.ts';
import { type Grant, isToken, type Org, type Repo, type Viewer } from './viewer.ts';

/** What the path named, as found for this viewer. */
export type Target = { repo?: Repo; org?: Org };

export type Verdict =
  | { allowed: true }
  | { allowed: false; refusal: 'unauthenticated' | 'forbidden' | 'not_found'; message: string };

/** One step of a decision, in words for `hearth explain`. */
export type Step = { check: string; passed: boolean; because: string };

const allowed: Verdict = { allowed: true };

/**
 * The one decision: token kind → scope or permission set → role → visibility, over facts that were loaded before.
 * Refusals hide what the viewer may not know of: a GET below a resource answers 404, a write below a visible one 403,
 * and whatever lies in an invisible repository 404 (security decision 4).
 */
export function judge(policy: Policy, viewer: Viewer, target: Target, call: { write: boolean }, trace?: Step[]): Verdict {
  const note = (check: string, passed: boolean, because: string): boolean => {
    trace?.push({ check, passed, because });
    return passed;
  };
  const { grant } = viewer;
  const none = typeof policy.permission === 'object' && 'none' in policy.permission ? policy.permission.none : undefined;

  // An app that speaks for itself is answered by what it is installed on, which its endpoints ask themselves.
  const asksItself = none === 'app_jwt' && grant.kind === 'app_jwt';
  if (target.repo && !asksItself && !note('visible', mayRead(target.repo, grant), visibilityReason(target.repo))) {
    return refuse('not_found', 'Not Found');
  }
  if (none === 'public' || none === 'token_exchange') return allowed;
  const open = policy.public === true && isPublic(target) && !call.write;
  if (open && note('public', true, 'the resource is public and the endpoint reads it')) {
    return isToken(grant) && !kindAllowed(policy, grant) ? wrongKind(grant) : allowed;
  }
  if (!note('signed in', grant.kind !== 'none', 'the request carries a credential')) {
    return refuse('unauthenticated', 'Requires authentication');
  }
  if (none === 'app_jwt') return note('app', grant.kind === 'app_jwt', 'a JSON web token of an app') ? allowed : jwtNeeded();
  if (none === 'client_secret')
    return note('client', grant.kind === 'client', 'client id and secret') ? allowed : refuse('not_found', 'Not Found');
  if (!isToken(grant)) return jwtRefused();
  if (!note('token kind', kindAllowed(policy, grant), `${grant.kind} among ${(policy.tokens ?? everyToken).join(', ')}`))
    return wrongKind(grant);

  const hidden = call.write || !(target.repo || target.org) ? 'forbidden' : 'not_found';
  if (none === 'site_admin') {
    const admin = viewer.account?.site_admin === true && grant.kind === 'classic_pat' && grant.scopes.includes('site_admin');
    return note('site administrator', admin, 'a site administrator by a classic token with the scope site_admin')
      ? allowed
      : refuse('forbidden', 'Must be a site administrator');
  }
  if (hasScopes(grant.kind) && 'scopes' in grant) {
    const passed = scopesSuffice(policy, grant.scopes, target);
    if (!note('scope', passed, `needs one of [${policy.scopes?.join(', ') ?? ''}], has [${grant.scopes.join(', ')}]`)) {
      return refuse(hidden, hidden === 'not_found' ? 'Not Found' : 'Token lacks a needed scope');
    }
  } else if (none === undefined) {
    const passed = permissionsSuffice(policy, grant, target);
    if (!note('permission', passed, `needs ${JSON.stringify(policy.permission)}`)) return wrongPermission(grant);
  }
  if (target.repo?.archived && call.write && policy.archived === undefined) {
    note('not archived', false, 'an archived repository takes no changes');
    return refuse('forbidden', 'Repository was archived so is read-only.');
  }
  if (policy.role === undefined || grant.kind === 'installation') return allowed;
  if (note('role', roleSuffices(policy.role, target), `needs ${policy.role}`)) return allowed;
  return refuse(hidden, hidden === 'not_found' ? 'Not Found' : roleMessage(policy.role, target));
}

/** Whether a repository may be known of at all: by role and credential together. */
export const mayRead = (repo: Repo, grant: Grant): boolean =>
  repo.visibility === 'public' || (repo.reached && (grant.kind === 'installation' || reaches(repo.role, 'read')));

const visibilityReason = (repo: Repo): string =>
  `${repo.visibility}; role ${repo.role ?? 'none'}; the credential ${repo.reached ? 'reaches it' : 'does not reach it'}`;

const isPublic = ({ repo }: Target): boolean => repo === undefined || repo.visibility === 'public';

const kindAllowed = (policy: Policy, grant: Grant): boolean =>
  isToken(grant) && (policy.tokens ?? everyToken).includes(grant.kind);

function scopesSuffice(policy: Policy, held: readonly string[], target: Target): boolean {
  if (policy.scopes === undefined || policy.scopes.length === 0) return true;
  const all = expandScopes(held);
  return policy.scopes.some(
    (scope) => all.has(scope) || (scope === 'repo' && target.repo?.visibility === 'public' && all.has('public_repo')),
  );
}

function permissionsSuffice(policy: Policy, grant: Grant, target: Target): boolean {
  const holdsHere = (permission: Permission): boolean =>
    holds(heldFor(grant, target), permission) && reachesFor(permission, target);
  return alternatives(policy.permission).some((all) => all.every(holdsHere));
}

/** The permission set that counts: that of the repository or organization that the path names. */
function heldFor(grant: Grant, target: Target): PermissionSet {
  const place = target.repo ?? target.org;
  if (place) return place.held;
  return 'permissions' in grant ? grant.permissions : {};
}

const reachesFor = (permission: Permission, target: Target): boolean => {
  const name = permission.slice(0, permission.lastIndexOf(':'));
  const scope = permissionScope(name as Parameters<typeof permissionScope>[0]);
  if (scope === 'repository' && target.repo) return target.repo.reached;
  return target.org ? target.org.reached : true;
};

const isRepositoryRole = (role: Role | OrgRole): role is Role => (roles as readonly string[]).includes(role);

function roleSuffices(role: Role | OrgRole, target: Target): boolean {
  if (isRepositoryRole(role)) return reaches(target.repo?.role, role);
  return target.org?.role === 'owner' || (role === 'member' && target.org?.role === 'member');
}

const roleMessage = (role: Role | OrgRole, target: Target): string => {
  if (!target.repo) return 'You must be an organization owner or have the needed role to do this.';
  return role === 'write' ? 'Must have push access to Repository.' : 'Must have admin rights to Repository.';
};

const refuse = (refusal: 'unauthenticated' | 'forbidden' | 'not_found', message: string): Verdict => ({
  allowed: false,
  refusal,
  message,
});

const wrongKind = (grant: Grant): Verdict => wrongPermission(grant);

const wrongPermission = (grant: Grant): Verdict =>
  refuse(
    'forbidden',
    grant.kind === 'installation' || grant.kind === 'app_user'
      ? 'Resource not accessible by integration'
      : 'Resource not accessible by personal access token',
  );

const jwtNeeded = (): Verdict => refuse('unauthenticated', 'A JSON web token could not be decoded');
const jwtRefused = (): Verdict => refuse('forbidden', 'A JSON web token cannot be used here');
