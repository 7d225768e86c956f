import { type Static, Type } from 'typebox';
import { permissionWords } from '#access/roles.ts';
import { maxId } from '#lib/id.ts';
import { each, Nullable, OneOf, Timestamp, withDefault } from '#lib/shape.ts';
import { OrganizationFull } from '#resources/identity/organizations/index.ts';

export const privacies = ['secret', 'closed'] as const;
export const notificationSettings = ['notifications_enabled', 'notifications_disabled'] as const;

export const memberRoles = ['member', 'maintainer'] as const;

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

/** A team in a list, with `permissions` if the list is about one repository. */
export const Team = Type.Object({
  ...TeamSimple.properties,
  parent: Nullable(TeamSimple),
  permissions: Type.Optional(Type.Object(each(permissionWords, Type.Boolean()))),
});
export type Team = Static<typeof Team>;

/** The complete team. */
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

const login = Type.String({ minLength: 1, maxLength: 100 });
const name = Type.String({ minLength: 1, maxLength: 255 });

const settings = {
  description: Type.Optional(Nullable(Type.String({ maxLength: 1024 }))),
  privacy: Type.Optional(OneOf(privacies)),
  notification_setting: Type.Optional(OneOf(notificationSettings)),
  parent_team_id: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: maxId }))),
  parent_team_slug: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 1024 }))),
};

/** `permission` is the team's default in a repository, if none is given. */
const permission = Type.Optional(OneOf(['pull', 'push', 'admin']));

export const NewTeam = Type.Object(
  {
    name,
    ...settings,
    permission: Type.Optional(OneOf(['pull', 'push'])),
    maintainers: Type.Optional(Type.Array(login, { maxItems: 100 })),
    repo_names: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { maxItems: 100 })),
  },
  { title: 'Team' },
);
export type NewTeam = Static<typeof NewTeam>;

export const TeamChange = Type.Object({ name: Type.Optional(name), ...settings, permission }, { title: 'Team' });
export type TeamChange = Static<typeof TeamChange>;

/** The older operation requires a name. */
export const NamedTeamChange = Type.Object({ name, ...settings, permission }, { title: 'Team' });

/** A user's role in a team. */
export const TeamMembership = Type.Object({
  url: Type.String(),
  role: OneOf(memberRoles),
  state: OneOf(['active', 'pending']),
});
export type TeamMembership = Static<typeof TeamMembership>;

export const TeamMembershipChange = Type.Object({ role: withDefault(OneOf(memberRoles), 'member') }, { title: 'TeamMember' });
