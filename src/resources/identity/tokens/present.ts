import { type PermissionName, type PermissionSet, permissionScope } from '#access/permissions.ts';
import type { TokenGrantRow } from './request-store.ts';
import type { PermissionsByScope } from './schemas.ts';

/** The permissions of a token, grouped by what they apply to. */
export function byScope(set: PermissionSet): PermissionsByScope {
  const found: Record<'organization' | 'repository' | 'other', PermissionSet> = { organization: {}, repository: {}, other: {} };
  for (const [name, level] of Object.entries(set) as [PermissionName, PermissionSet[PermissionName]][]) {
    const scope = permissionScope(name);
    if (level) found[scope === 'account' ? 'other' : scope][name] = level;
  }
  return found;
}

/** The public API's terms for the repositories of an organization that a token is limited to. */
export const selectionWord = (selection: TokenGrantRow['repository_selection']): 'none' | 'all' | 'subset' =>
  selection === 'all' ? 'all' : selection === 'selected' ? 'subset' : 'none';
