import type { Policy } from '#access/policy.ts';

/** Document 3 lists these in two categories, and both permissions are required. */
const allOf = (level: 'read' | 'write') =>
  ({ allOf: [`organization_administration:${level}`, `organization_assistant_business:${level}`] }) as const;
const owner = { scopes: ['admin:org'], role: 'owner' } as const;

export const readsSeats = { ...owner, permission: allOf('read') } as const satisfies Policy;
export const writesSeats = { ...owner, permission: allOf('write') } as const satisfies Policy;
/** Document 3 lists the metrics only in the matrix of apps. */
export const readsMetrics = {
  ...readsSeats,
  credentials: ['classic_pat', 'oauth_app', 'app_user', 'installation', 'session'],
} as const satisfies Policy;

/** Document 3 allows only user tokens for spaces. What members may do in a space follows from their role in it. */
const byPeople = { credentials: ['classic_pat', 'oauth_app', 'fine_grained_pat', 'session'], role: 'member' } as const;
export const readsSpaces = {
  ...byPeople,
  scopes: ['read:org'],
  permission: 'organization_assistant_business:read',
} as const satisfies Policy;
export const writesSpaces = {
  ...byPeople,
  scopes: ['write:org'],
  permission: 'organization_assistant_business:write',
} as const satisfies Policy;
