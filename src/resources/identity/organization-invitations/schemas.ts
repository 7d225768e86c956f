import { type Static, Type } from 'typebox';
import { maxId } from '#lib/id.ts';
import { OneOf, withDefault } from '#lib/shape.ts';
import { invitationRoles } from '#resources/identity/members/index.ts';

const id = Type.Integer({ minimum: 1, maximum: maxId });

/** The invitee: an account (`invitee_id`) or an address (`email`). Exactly one is given. */
export const NewInvitation = Type.Object(
  {
    invitee_id: Type.Optional(id),
    email: Type.Optional(Type.String({ minLength: 1, maxLength: 254 })),
    role: withDefault(OneOf([...invitationRoles, 'billing_manager', 'reinstate']), 'direct_member'),
    team_ids: Type.Optional(Type.Array(id, { maxItems: 100 })),
  },
  { title: 'OrganizationInvitation' },
);
export type NewInvitation = Static<typeof NewInvitation>;

/**
 * The parameters of the list. Invitations here never have the roles `billing_manager` or `hiring_manager`, or the source `scim`.
 */
export const InvitationFilter = Type.Object({
  role: withDefault(OneOf(['all', ...invitationRoles, 'billing_manager', 'hiring_manager']), 'all'),
  invitation_source: withDefault(OneOf(['all', 'member', 'scim']), 'all'),
});
export type InvitationFilter = Static<typeof InvitationFilter>;
