import { type Static, Type } from 'typebox';
import { permissionWords } from '#access/roles.ts';
import { each, Nullable, OneOf, Timestamp } from '#lib/shape.ts';
import { OrganizationFull } from '#resources/organizations/index.ts';

export const privacies = ['secret', 'closed'] as const;
export const notificationSettings = ['notifications_enabled', 'notifications_disabled'] as const;

/** A team inside another object. */
export const TeamSimple = Type.Object({
  id: Type.Integer(),
  node_id: Type.String(),
  url: Type.String(),
  html_url: Type.String(),
  members_url: Type.String(),
  repositories_url: Type.String(),
  name: Type.String(),
  slug: Type.String(),
  description: Nullable(Type.String()),
  permission: OneOf(permissionWords),
  privacy: OneOf(privacies),
  notification_setting: OneOf(notificationSettings),
  type: OneOf(['organization']),
  organization_id: Type.Integer(),
});
export type TeamSimple = Static<typeof TeamSimple>;

/** A team in a list; `permissions` where the list is about one repository. */
export const Team = Type.Object({
  ...TeamSimple.properties,
  parent: Nullable(TeamSimple),
  permissions: Type.Optional(Type.Object(each(permissionWords, Type.Boolean()))),
});
export type Team = Static<typeof Team>;

/** The whole team. */
export const TeamFull = Type.Object({
  ...TeamSimple.properties,
  parent: Nullable(TeamSimple),
  members_count: Type.Integer(),
  repos_count: Type.Integer(),
  created_at: Timestamp,
  updated_at: Timestamp,
  organization: OrganizationFull,
});
export type TeamFull = Static<typeof TeamFull>;
