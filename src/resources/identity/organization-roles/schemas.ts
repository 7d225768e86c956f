import { type Static, Type } from 'typebox';
import { roles } from '#access/roles.ts';
import { Nullable, OneOf, Timestamp } from '#lib/shape.ts';
import { User } from '#resources/identity/accounts/index.ts';
import { Team, TeamSimple } from '#resources/identity/teams/index.ts';

export const OrganizationRole = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  description: Nullable(Type.String()),
  base_role: Nullable(OneOf(roles)),
  source: OneOf(['Organization', 'Predefined']),
  permissions: Type.Array(Type.String()),
  organization: Nullable(User),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type OrganizationRole = Static<typeof OrganizationRole>;

/** How a user or team has a role: `direct`, assigned to them; `indirect`, through a team or a parent team; `mixed`, both. */
const Assignment = OneOf(['direct', 'indirect', 'mixed']);

export const UserRoleAssignment = Type.Object({
  ...User.properties,
  assignment: Assignment,
  inherited_from: Type.Array(TeamSimple),
});
export type UserRoleAssignment = Static<typeof UserRoleAssignment>;

export const TeamRoleAssignment = Type.Object({ ...Team.properties, assignment: Assignment });
export type TeamRoleAssignment = Static<typeof TeamRoleAssignment>;
