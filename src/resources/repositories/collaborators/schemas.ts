import { type Static, Type } from 'typebox';
import { permissionWords, roles } from '#access/roles.ts';
import { each, Nullable, OneOf, Timestamp } from '#lib/shape.ts';
import { User } from '#resources/identity/accounts/index.ts';
import { MinimalRepository } from '#resources/repositories/repositories/index.ts';

/** A user with a role in a repository. */
export const Collaborator = Type.Object({
  ...User.properties,
  permissions: Type.Object(each(permissionWords, Type.Boolean())),
  role_name: OneOf([...roles, 'none']),
});
export type Collaborator = Static<typeof Collaborator>;

/**
 * A user's permission in a repository. `permission` doesn't distinguish triage and maintain, which are shown as read and write.
 */
export const CollaboratorPermission = Type.Object({
  permission: OneOf(['admin', 'write', 'read', 'none']),
  role_name: OneOf([...roles, 'none']),
  user: Nullable(Collaborator),
});
export type CollaboratorPermission = Static<typeof CollaboratorPermission>;

export const NewCollaborator = Type.Object(
  { permission: Type.Optional(OneOf(permissionWords)) },
  { title: 'RepositoryCollaborator' },
);

export const RepositoryInvitation = Type.Object({
  id: Type.Integer(),
  node_id: Type.String(),
  repository: MinimalRepository,
  invitee: Nullable(User),
  inviter: Nullable(User),
  permissions: OneOf(roles),
  created_at: Timestamp,
  expired: Type.Boolean(),
  url: Type.String(),
  html_url: Type.String(),
});
export type RepositoryInvitation = Static<typeof RepositoryInvitation>;

export const InvitationChange = Type.Object({ permissions: Type.Optional(OneOf(roles)) }, { title: 'RepositoryInvitation' });
