import { holds, type PermissionSet } from './permissions.ts';
import { expandScopes } from './scopes.ts';
import type { Grant } from './viewer.ts';

/** Whether a credential may change workflow files. If not, how a refusal names the credential and the missing right. */
export type WorkflowFileAccess =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly to: string; readonly lacks: string };

const allowed: WorkflowFileAccess = { allowed: true };
const denied = (to: string, lacks: string): WorkflowFileAccess => ({ allowed: false, to, lacks });

/** How a refusal names a file that a credential may not write. */
export const workflowFileMessage = ({ to, lacks }: Extract<WorkflowFileAccess, { allowed: false }>, path: string): string =>
  `refusing to allow ${to} to create or update workflow \`${path}\` without ${lacks}`;

/** The rights of the server itself, which deletes branches and tags. */
export const noWorkflowFiles = denied('this request', 'a credential');

const byScope = (scopes: readonly string[], to: string): WorkflowFileAccess =>
  expandScopes(scopes).has('workflow') ? allowed : denied(to, '`workflow` scope');

const byPermission = (held: PermissionSet, to: string): WorkflowFileAccess =>
  holds(held, 'workflows:write') ? allowed : denied(to, '`workflows` permission');

/**
 * Whether a credential may change workflow files in a repository to which it may push. SSH keys and sessions may, since they
 * belong to a person, or were added by an administrator of the repository. `held`: the credential's permissions in this
 * repository.
 */
export function workflowFileAccess(grant: Grant, { held }: { held: PermissionSet }): WorkflowFileAccess {
  switch (grant.kind) {
    case 'ssh_key':
    case 'deploy_key':
    case 'session':
      return allowed;
    case 'classic_pat':
      return byScope(grant.scopes, 'a Personal Access Token');
    case 'oauth_app':
      return byScope(grant.scopes, 'an OAuth App');
    case 'fine_grained_pat':
      return byPermission(held, 'a Personal Access Token');
    case 'app_user':
    case 'installation':
      return byPermission(held, 'an App');
    case 'none':
    case 'app_jwt':
    case 'client':
      return noWorkflowFiles;
  }
}
