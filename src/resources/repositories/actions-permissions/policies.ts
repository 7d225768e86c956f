// Who may read and change these settings (document 3).
const ofOrganization = { scopes: ['admin:org'], role: 'owner' } as const;
export const readsOrganization = { ...ofOrganization, permission: 'organization_administration:read' } as const;
export const changesOrganization = { ...ofOrganization, permission: 'organization_administration:write' } as const;

const ofRepository = { scopes: ['repo'], role: 'admin' } as const;
export const readsRepository = { ...ofRepository, permission: 'administration:read' } as const;
export const changesRepository = { ...ofRepository, permission: 'administration:write' } as const;
