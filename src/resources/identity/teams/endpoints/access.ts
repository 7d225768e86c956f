import { everyCredential } from '#access/tokens.ts';

/** Members read and change teams, if they may see or change the specific team. */
export const readsTeams = {
  permission: 'members:read',
  scopes: ['read:org'],
  credentials: everyCredential,
  role: 'member',
} as const;
export const writesTeams = {
  permission: 'members:write',
  scopes: ['admin:org'],
  credentials: everyCredential,
  role: 'member',
} as const;
