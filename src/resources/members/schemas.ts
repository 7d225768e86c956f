import { type Static, Type } from 'typebox';
import { Nullable, OneOf, withDefault } from '#lib/shape.ts';
import { OrganizationSimple, User } from '#resources/accounts/index.ts';

/** Membership roles as clients write them; an owner is called admin there. */
export const memberWords = ['admin', 'member'] as const;
export type MemberWord = (typeof memberWords)[number];

/** A person's place in an organization. */
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

/** The one change that people make to their own membership: they accept it. */
export const Acceptance = Type.Object({ state: OneOf(['active']) }, { title: 'OrganizationMembership' });
