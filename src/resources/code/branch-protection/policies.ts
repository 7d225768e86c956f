import type { Policy } from '#access/policy.ts';

const ofAdministrators = { scopes: ['repo'], role: 'admin' } as const;

export const readsProtection = { ...ofAdministrators, permission: 'administration:read' } as const satisfies Policy;
export const administers = { ...ofAdministrators, permission: 'administration:write' } as const satisfies Policy;
