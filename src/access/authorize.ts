import { limitMessage, mayInteract } from './interaction-limits.ts';
import { holds, type Permission, parsePermission, permissionScope } from './permissions.ts';
import { acceptedRoles, alternatives, type NoPermissionReason, type Policy } from './policy.ts';
import { isRole, type OrgRole, type Role, reaches } from './roles.ts';
import { expandScopes } from './scopes.ts';
import { everyCredential } from './tokens.ts';
import { type Grant, hasNoRole, isAcceptable, isScoped, isSshKey, type Org, type Repo, type Viewer } from './viewer.ts';

/** The repository and the organization of the path, with the viewer's access to each. */
export type Target = { repo?: Repo; org?: Org };

type RefusalOfAccess = 'unauthenticated' | 'forbidden' | 'not_found';

type Decision = { allowed: true } | { allowed: false; refusal: RefusalOfAccess; message: string };

/** The result of one check, for `hearth explain`. */
export type CheckResult = { check: string; passed: boolean; because: string };

/**
 * Decides whether a viewer may call an endpoint with this policy on the target. It reads nothing: lookups have loaded the role,
 * and whether the credential reaches the target. A refused read is 404 and a refused write 403. In a repository that the viewer
 * may not see, both are 404 (security decision 4).
 * @param write whether the request changes something
 * @param trace gets the result of each check
 */
export function authorize(
  policy: Policy,
  viewer: Viewer,
  target: Target,
  { write }: { write: boolean },
  trace?: CheckResult[],
): Decision {
  const none = typeof policy.permission === 'object' && 'none' in policy.permission ? policy.permission.none : undefined;
  const passes = (check: string, passed: boolean, because: string): boolean => {
    trace?.push({ check, passed, because });
    return passed;
  };
  const request: AuthorizationRequest = { policy, none, viewer, grant: viewer.grant, target, write, passes };
  for (const check of checks) {
    const decision = check(request);
    if (decision) return decision;
  }
  return allowed;
}

type AuthorizationRequest = {
  policy: Policy;
  /** The reason why the endpoint needs no permission; undefined if it needs one. */
  none: NoPermissionReason | undefined;
  viewer: Viewer;
  grant: Grant;
  target: Target;
  write: boolean;
  /** Returns `passed`, and adds it to the trace. */
  passes: (check: string, passed: boolean, because: string) => boolean;
};

/** A decision, or undefined to leave it to the next check. */
type Check = (request: AuthorizationRequest) => Decision | undefined;

const allowed: Decision = { allowed: true };

/** Refuses all access to a repository that the viewer may not see. */
const visibility: Check = ({ policy, none, grant, target: { repo }, passes }) => {
  // Endpoints for apps themselves find out where the app is installed.
  if (!repo || (none === 'app_jwt' && grant.kind === 'app_jwt')) return undefined;
  const visible = mayRead(repo, grant) || scopeOpens(policy, repo, grant);
  return passes('visible', visible, visibilityReason(repo, grant)) ? undefined : refuse('not_found', 'Not Found');
};

/** Allows endpoints that are open to everybody, and reading a public resource. */
const publicAccess: Check = ({ policy, none, grant, target, write, passes }) => {
  if (none === 'public' || none === 'token_exchange') return allowed;
  if (policy.public !== true || write || (target.repo && target.repo.visibility !== 'public')) return undefined;
  passes('public', true, 'the resource is public and the endpoint reads it');
  return isAcceptable(grant) && !kindAllowed(policy, grant) ? refuseKind(policy, grant) : allowed;
};

const credential: Check = ({ policy, none, grant, passes }) => {
  if (!passes('signed in', grant.kind !== 'none', 'the request carries a credential'))
    return refuse('unauthenticated', 'Requires authentication');
  if (none === 'app_jwt')
    return passes('app', grant.kind === 'app_jwt', 'a JSON web token of an app')
      ? allowed
      : refuse('unauthenticated', 'A JSON web token could not be decoded');
  if (none === 'client_secret')
    return passes('client', grant.kind === 'client', 'client id and secret') ? allowed : refuse('not_found', 'Not Found');
  // SSH keys are accepted by Git's transport only, which checks the permission for contents.
  if (isSshKey(grant)) return undefined;
  if (!isAcceptable(grant)) return refuse('forbidden', 'A JSON web token cannot be used here');
  const because = `${grant.kind} among ${(policy.credentials ?? everyCredential).join(', ')}`;
  return passes('credential kind', kindAllowed(policy, grant), because) ? undefined : refuseKind(policy, grant);
};

const siteAdministrator: Check = ({ none, viewer: { account }, grant, passes }) => {
  if (none !== 'site_admin') return undefined;
  const byToken = grant.kind === 'classic_pat' && grant.scopes.includes('site_admin');
  const bySession = grant.kind === 'session' && grant.isRecent;
  const because = 'a site administrator by a classic token with the scope site_admin, or by a recent sign-in';
  return passes('site administrator', account?.site_admin === true && (byToken || bySession), because)
    ? allowed
    : refuse('forbidden', 'Must be a site administrator');
};

/** Classic and OAuth tokens and sessions have scopes, all others a set of permissions. */
const scopeOrPermission: Check = (request) => {
  const { policy, none, grant, target, passes } = request;
  if (isScoped(grant)) {
    const also = policy.alsoScopes ? ` and [${policy.alsoScopes.join(', ')}]` : '';
    const because = `needs one of [${policy.scopes?.join(', ') ?? ''}]${also}, has [${grant.scopes.join(', ')}]`;
    return passes('scope', scopesSuffice(policy, grant.scopes, target), because)
      ? undefined
      : refuseWithReason(request, 'Token lacks a needed scope');
  }
  if (none !== undefined) return undefined;
  const because = `needs ${JSON.stringify(policy.permission)}${withheldNote(grant)}`;
  return passes('permission', permissionsSuffice(policy, grant, target), because) ? undefined : refuseCredential(grant);
};

const archive: Check = ({ policy, target, write, passes }) => {
  if (!target.repo?.archived || !write || policy.archived !== undefined) return undefined;
  passes('not archived', false, 'an archived repository takes no changes');
  return refuse('forbidden', 'Repository was archived so is read-only.');
};

/** The data in a migration's archive doesn't change until the repository is unlocked. */
const migrationLock: Check = ({ policy, target, write, passes }) => {
  if (!target.repo || target.repo.locked_by === null || !write || policy.locked !== undefined) return undefined;
  passes('not locked', false, 'a repository that is locked for a migration takes no changes');
  return refuse('forbidden', 'Repository is locked for a migration, so it is read-only until it is unlocked.');
};

/** Apps and deploy keys have no role. Only their permissions are checked. */
const role: Check = (request) => {
  const { policy, grant, target, passes } = request;
  if (policy.role === undefined || hasNoRole(grant)) return undefined;
  const isManager = holdsOrRole(policy, policy.role, target);
  const because = `needs ${acceptedRoles(policy)}${isManager ? ', is security_manager' : ''}`;
  return passes('role', roleSuffices(policy.role, target) || isManager, because)
    ? undefined
    : refuseWithReason(request, roleMessage(policy.role, target));
};

/** Checks a limit on interactions. Installations pass, since the people who may set limits have granted their permissions. */
const interactionLimit: Check = ({ policy, grant, target: { repo }, passes }) => {
  if (policy.interaction !== true) return undefined;
  if (!repo?.interaction) throw new Error('The limit on interactions was not looked up');
  const { inForce, limit } = repo.interaction;
  if (inForce === undefined || grant.kind === 'installation') return undefined;
  if (!limit) throw new Error('Whom the limit on interactions excludes was not looked up');
  const message = limitMessage(limit);
  return passes('interaction limit', mayInteract(limit), message) ? undefined : refuse('forbidden', message);
};

/** The order matters: visibility comes first, so that no later refusal shows that an invisible repository exists. */
const checks: readonly Check[] = [
  visibility,
  publicAccess,
  credential,
  siteAdministrator,
  scopeOrPermission,
  archive,
  migrationLock,
  role,
  interactionLimit,
];

/** Whether the viewer may see that a repository exists. Both the role and the credential must allow it. */
export const mayRead = (repo: Repo, grant: Grant): boolean =>
  repo.visibility === 'public' || (repo.reached && (hasNoRole(grant) || reaches(repo.role, 'read')));

/**
 * Whether a narrow scope of the policy, such as `read:repo_hook`, opens a private repository to its endpoints without `repo` (the
 * public API's rule).
 */
const scopeOpens = ({ scopes = [] }: Policy, repo: Repo, grant: Grant): boolean => {
  if (!isScoped(grant) || !reaches(repo.role, 'read')) return false;
  const held = expandScopes(grant.scopes);
  return scopes.some((scope) => scope !== 'repo' && held.has(scope));
};

const visibilityReason = (repo: Repo, grant: Grant): string =>
  `${repo.visibility}; role ${repo.role ?? 'none'}; the credential ` +
  `${repo.reached ? 'reaches it' : 'does not reach it'}${withheldNote(grant)}`;

const withheldNote = (grant: Grant): string =>
  grant.kind === 'fine_grained_pat' && grant.withheld !== undefined ? `: ${grant.withheld}` : '';

const kindAllowed = (policy: Policy, grant: Grant): boolean =>
  isAcceptable(grant) && (policy.credentials ?? everyCredential).includes(grant.kind);

function scopesSuffice(policy: Policy, held: readonly string[], target: Target): boolean {
  const all = expandScopes(held);
  if (policy.alsoScopes?.some((scope) => !all.has(scope))) return false;
  if (policy.scopes === undefined || policy.scopes.length === 0) return true;
  return policy.scopes.some(
    (scope) => all.has(scope) || (scope === 'repo' && target.repo?.visibility === 'public' && all.has('public_repo')),
  );
}

function permissionsSuffice(policy: Policy, grant: Grant, target: Target): boolean {
  return alternatives(policy.permission).some((all) => all.every((permission) => holdsFor(permission, grant, target)));
}

/**
 * Whether the credential holds a permission in the target. If the path names a repository and an organization, a repository
 * permission is checked in the repository, and any other in the organization.
 */
function holdsFor(permission: Permission, grant: Grant, { repo, org }: Target): boolean {
  const isOfRepository = permissionScope(parsePermission(permission).name) === 'repository';
  const resource = isOfRepository ? (repo ?? org) : (org ?? repo);
  if (!resource) return 'permissions' in grant && holds(grant.permissions, permission);
  return holds(resource.held, permission) && (isOfRepository || resource === org ? resource.reached : true);
}

/** Whether the viewer has the role that is enough in place of the required one. */
const holdsOrRole = ({ orRole }: Policy, role: Role | OrgRole, { repo, org }: Target): boolean =>
  orRole === 'security_manager' && (isRole(role) ? repo : org)?.managesSecurity === true;

function roleSuffices(role: Role | OrgRole, target: Target): boolean {
  if (isRole(role)) return reaches(target.repo?.role, role);
  return target.org?.role === 'owner' || (role === 'member' && target.org?.role === 'member');
}

const roleMessage = (role: Role | OrgRole, target: Target): string => {
  if (!target.repo) return 'You must be an organization owner or have the needed role to do this.';
  return role === 'write' ? 'Must have push access to Repository.' : 'Must have admin rights to Repository.';
};

const refuse = (refusal: RefusalOfAccess, message: string): Decision => ({ allowed: false, refusal, message });

/**
 * 403 with the reason for a write. 404 for a read, so that a refusal doesn't show that the resource exists. The caller's own data
 * in a visible repository is refused with 403 (document 2).
 */
const refuseWithReason = ({ write, none, target: { repo, org } }: AuthorizationRequest, message: string): Decision =>
  write || !(repo || org) || (repo && none === 'own_account') ? refuse('forbidden', message) : refuse('not_found', 'Not Found');

/** Refuses a credential of a kind that isn't accepted. */
const refuseKind = ({ credentials }: Policy, grant: Grant): Decision =>
  credentials?.every((kind) => kind === 'installation')
    ? refuse('forbidden', 'You must authenticate via an app.')
    : refuseCredential(grant);

const refuseCredential = (grant: Grant): Decision => refuse('forbidden', credentialMessage(grant));

function credentialMessage(grant: Grant): string {
  if (grant.kind === 'installation' || grant.kind === 'app_user') return 'Resource not accessible by integration';
  if (grant.kind === 'session') return 'This needs a token of an app';
  if (grant.kind !== 'deploy_key') return 'Resource not accessible by personal access token';
  return holds(grant.permissions, 'contents:write')
    ? 'This is a deploy key of another repository'
    : 'The key you are authenticating with has been marked as read only.';
}
