import type { Policy } from '#access/policy.ts';

const scopes = ['repo_deployment', 'repo'] as const;
export const readsDeployments = { scopes, role: 'read', permission: 'deployments:read', public: true } as const satisfies Policy;
export const writesDeployments = { scopes, role: 'write', permission: 'deployments:write' } as const satisfies Policy;
