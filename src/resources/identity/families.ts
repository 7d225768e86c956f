import { accounts } from './accounts/family.ts';
import { members } from './members/family.ts';
import { organizationInvitations } from './organization-invitations/family.ts';
import { organizationRoles } from './organization-roles/family.ts';
import { organizations } from './organizations/family.ts';
import { runnerGroups } from './runner-groups/family.ts';
import { signingKeys } from './signing-keys/family.ts';
import { teams } from './teams/family.ts';
import { tokens } from './tokens/family.ts';

/**
 * The families of the product *identity* (people, organizations and teams, and how they authenticate), in order: a family may
 * import only families above it.
 */
export const identityFamilies = [
  accounts,
  signingKeys,
  members,
  tokens,
  runnerGroups,
  organizations,
  teams,
  organizationInvitations,
  organizationRoles,
] as const;
