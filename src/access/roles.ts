/** Repository roles, weakest first. A role grants what the roles before it grant. */
export const roles = ['read', 'triage', 'write', 'maintain', 'admin'] as const;
export type Role = (typeof roles)[number];

/** 1 (read) to 5 (admin); 0 is no role. */
export const roleLevel = (role: Role | undefined): number => (role === undefined ? 0 : roles.indexOf(role) + 1);

export const roleOfLevel = (level: number): Role | undefined => roles[level - 1];

export const reaches = (held: Role | undefined, needed: Role): boolean => roleLevel(held) >= roleLevel(needed);

export const orgRoles = ['member', 'owner'] as const;
export type OrgRole = (typeof orgRoles)[number];
