// Who may read and change webhooks: document 2 for organizations, the public API for repositories and apps.
import { everyCredential } from '#access/tokens.ts';

const ofOrg = { scopes: ['admin:org_hook'], credentials: everyCredential, role: 'owner' } as const;
export const readsOrgHooks = { ...ofOrg, permission: 'organization_webhooks:read' } as const;
export const writesOrgHooks = { ...ofOrg, permission: 'organization_webhooks:write' } as const;

const ofRepo = { credentials: everyCredential, role: 'admin' } as const;
export const readsRepoHooks = { ...ofRepo, permission: 'repository_webhooks:read', scopes: ['repo', 'read:repo_hook'] } as const;
export const writesRepoHooks = {
  ...ofRepo,
  permission: 'repository_webhooks:write',
  scopes: ['repo', 'write:repo_hook'],
} as const;
export const removesRepoHooks = { ...writesRepoHooks, scopes: ['repo', 'admin:repo_hook'] } as const;

/** An app reads its own webhook with its JSON web token. */
export const asApp = { permission: { none: 'app_jwt' } } as const;
