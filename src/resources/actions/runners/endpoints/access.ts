const ofOrganization = { scopes: ['admin:org', 'manage_runners:org'], role: 'owner' } as const;
const ofRepository = { scopes: ['repo'], role: 'admin' } as const;

export const readsOrgRunners = { ...ofOrganization, permission: 'organization_self_hosted_runners:read' } as const;
export const writesOrgRunners = { ...ofOrganization, permission: 'organization_self_hosted_runners:write' } as const;
export const readsRepoRunners = { ...ofRepository, permission: 'administration:read' } as const;
export const writesRepoRunners = { ...ofRepository, permission: 'administration:write' } as const;
