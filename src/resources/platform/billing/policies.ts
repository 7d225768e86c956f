import type { Policy } from '#access/policy.ts';

const owner = { scopes: ['admin:org'], role: 'owner' } as const;
export const readsBilling = { ...owner, permission: 'organization_administration:read' } as const satisfies Policy;
export const writesBilling = { ...owner, permission: 'organization_administration:write' } as const satisfies Policy;

/** Document 3 allows only user tokens, not tokens of apps. */
export const byPeople = { credentials: ['classic_pat', 'oauth_app', 'fine_grained_pat', 'session'] } as const;
