import type { NoPermissionReason, Policy } from '#access/policy.ts';
import { everyToken } from '#access/tokens.ts';
import type { Endpoint } from '#endpoint/endpoint.ts';
import type { Caller } from './callers.ts';

/** What the documents say of a call on the stage: it gets through, or it is refused with a status. */
export type Expected = 'passes' | 401 | 403 | 404;

/**
 * The decision of documents 1 to 3, written a second time and plainly, for the stage's private repository and its organization.
 * It shares nothing with `judge()` but the declaration.
 */
export function expectedOf({ access, path, method }: Endpoint, caller: Caller): Expected {
  if (caller.kind === 'malformed') return 401;
  const reason = reasonOf(access);
  const isRead = method === 'GET';
  const inRepo = path.includes('repo}');
  const byTeam = path.startsWith('/teams/{team_id}');
  const inOrg = !inRepo && (path.includes('{org}') || byTeam);
  const isClassic = caller.kind === 'classic_pat' || caller.kind === 'oauth_app';

  // The id of a team tells strangers nothing of its organization.
  if (byTeam && caller.kind === 'none') return 401;
  if (byTeam && caller.role === 'stranger') return 404;
  // A private repository is unknown to nobody, to strangers, and to classic tokens without a scope for it.
  if (inRepo && (caller.kind === 'none' || caller.role === 'stranger' || (isClassic && !caller.holds))) return 404;
  if (reason === 'public' || reason === 'token_exchange') return 'passes';
  if (access.public && isRead && !inRepo) return caller.kind === 'none' || kindPasses(access, caller) ? 'passes' : 403;
  if (caller.kind === 'none' || reason === 'app_jwt') return 401;
  if (reason === 'client_secret') return 404;
  if (!kindPasses(access, caller)) return 403;
  if (reason === 'site_admin') return caller.role === 'owner' && caller.kind === 'classic_pat' && caller.holds ? 'passes' : 403;
  if (!caller.holds && needsMore(access, isClassic)) return isClassic && isRead && inOrg ? 404 : 403;
  if (rolePasses(access, caller)) return 'passes';
  return isRead ? 404 : 403;
}

const reasonOf = ({ permission }: Policy): NoPermissionReason | undefined =>
  typeof permission === 'object' && 'none' in permission ? permission.none : undefined;

const kindPasses = ({ tokens = everyToken }: Policy, { kind }: Caller): boolean => tokens.some((allowed) => allowed === kind);

/** Whether a token that holds nothing lacks something here. Reading metadata comes with every fine-grained token. */
function needsMore({ permission, scopes = [] }: Policy, isClassic: boolean): boolean {
  if (isClassic) return scopes.length > 0;
  return permission !== 'metadata:read' && !(typeof permission === 'object' && 'none' in permission);
}

/** A member has the organization's default role in its repositories: read. */
function rolePasses({ role }: Policy, caller: Caller): boolean {
  if (role === undefined || caller.role === 'owner') return true;
  return caller.role === 'member' && (role === 'member' || role === 'read');
}
