/** Repository roles, weakest first. A role includes the rights of the roles before it. */
export const roles = ['read', 'triage', 'write', 'maintain', 'admin'] as const;
export type Role = (typeof roles)[number];

const known: readonly string[] = roles;

export const isRole = (word: string): word is Role => known.includes(word);

/** 1 (read) to 5 (admin); 0 is no role. */
export const roleLevel = (role: Role | undefined): number => (role === undefined ? 0 : roles.indexOf(role) + 1);

export const roleOfLevel = (level: number): Role | undefined => roles[level - 1];

/** Whether a role is at least as high as another. */
export const reaches = (held: Role | undefined, needed: Role): boolean => roleLevel(held) >= roleLevel(needed);

export const orgRoles = ['member', 'owner'] as const;
export type OrgRole = (typeof orgRoles)[number];

/** The predefined role of an organization that some endpoints accept in place of a role in the repository or organization. */
export const securityManager = 'security_manager';
export type SecurityManager = typeof securityManager;

/** The names of repository roles in requests and replies, in the order of `roles`. */
export const permissionWords = ['pull', 'triage', 'push', 'maintain', 'admin'] as const;
type PermissionWord = (typeof permissionWords)[number];

const roleByWord = { pull: 'read', triage: 'triage', push: 'write', maintain: 'maintain', admin: 'admin' } as const;
const wordByRole = { read: 'pull', triage: 'triage', write: 'push', maintain: 'maintain', admin: 'admin' } as const;

export const roleOfWord = (word: PermissionWord): Role => roleByWord[word];
export const wordOfRole = (role: Role): PermissionWord => wordByRole[role];

/** The permissions of a role in replies. */
export const permissionsOf = (role: Role | undefined): Record<PermissionWord, boolean> => ({
  pull: reaches(role, 'read'),
  triage: reaches(role, 'triage'),
  push: reaches(role, 'write'),
  maintain: reaches(role, 'maintain'),
  admin: reaches(role, 'admin'),
});
