import { type Static, Type } from 'typebox';
import { Nullable, OneOf, Timestamp, withDefault } from '#lib/shape.ts';
import { OrganizationSimple, User } from '#resources/identity/accounts/index.ts';

/** Roles of members in the API's terms: an owner is `admin`. */
export const memberWords = ['admin', 'member'] as const;
export type MemberWord = (typeof memberWords)[number];

/** The membership of a user in an organization. */
export const Membership = Type.Object({
  url: Type.String(),
  state: OneOf(['active', 'pending']),
  role: OneOf(memberWords),
  direct_membership: Type.Boolean(),
  organization_url: Type.String(),
  organization: OrganizationSimple,
  user: Nullable(User),
  permissions: Type.Object({ can_create_repository: Type.Boolean() }),
});
export type Membership = Static<typeof Membership>;

export const MembershipChange = Type.Object(
  { role: withDefault(OneOf(memberWords), 'member') },
  { title: 'OrganizationMembership' },
);

/** Users can change their own membership only by accepting it. */
export const Acceptance = Type.Object({ state: OneOf(['active']) }, { title: 'OrganizationMembership' });

/** The roles of invitations. The API's names differ from those of members' roles. */
export const invitationRoles = ['admin', 'direct_member'] as const;

/** An invitation to an organization, for an account (`login`) or an e-mail address. */
export const OrganizationInvitation = Type.Object({
  id: Type.Integer(),
  node_id: Type.String(),
  login: Nullable(Type.String()),
  email: Nullable(Type.String()),
  role: OneOf(invitationRoles),
  created_at: Timestamp,
  failed_at: Nullable(Timestamp),
  failed_reason: Nullable(Type.String()),
  inviter: Nullable(User),
  team_count: Type.Integer(),
  invitation_teams_url: Type.String(),
  invitation_source: OneOf(['member']),
});
export type OrganizationInvitation = Static<typeof OrganizationInvitation>;
