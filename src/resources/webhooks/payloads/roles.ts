import { type Role, roles } from '#access/roles.ts';

const known: readonly string[] = roles;

export const isRole = (word: string): word is Role => known.includes(word);

/** A role in the three words that payloads use for it. */
export function permissionOf(role: Role): 'read' | 'write' | 'admin' {
  if (role === 'triage') return 'read';
  return role === 'maintain' ? 'write' : role;
}
