import type { Policy } from '#access/policy.ts';

export const readsChecks = {
  scopes: ['repo'],
  role: 'read',
  permission: 'checks:read',
  public: true,
} as const satisfies Policy;

/** Apps alone write checks, by their installations. */
export const writesChecks = { permission: 'checks:write', credentials: ['installation'] } as const satisfies Policy;

export const administersChecks = { scopes: ['repo'], role: 'admin', permission: 'checks:write' } as const satisfies Policy;
