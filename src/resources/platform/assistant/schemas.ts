import { type Static, Type } from 'typebox';
import { Nullable, OneOf, Refused, Timestamp, withDefault } from '#lib/shape.ts';
import { OrganizationSimple, User } from '#resources/identity/accounts/index.ts';
import { Team } from '#resources/identity/teams/index.ts';

const setting = OneOf(['enabled', 'disabled', 'unconfigured'] as const);

export const AssistantDetails = Type.Object({
  seat_breakdown: Type.Object({
    total: Type.Integer(),
    added_this_cycle: Type.Integer(),
    pending_cancellation: Type.Integer(),
    pending_invitation: Type.Integer(),
    active_this_cycle: Type.Integer(),
    inactive_this_cycle: Type.Integer(),
  }),
  public_code_suggestions: OneOf(['allow', 'block', 'unconfigured'] as const),
  ide_chat: setting,
  platform_chat: setting,
  cli: setting,
  seat_management_setting: OneOf(['assign_all', 'assign_selected', 'disabled', 'unconfigured'] as const),
});
export type AssistantDetails = Static<typeof AssistantDetails>;

export const AssistantSeat = Type.Object({
  assignee: User,
  organization: OrganizationSimple,
  assigning_team: Type.Optional(Team),
  pending_cancellation_date: Nullable(Type.String({ format: 'date' })),
  last_activity_at: Nullable(Timestamp),
  last_activity_editor: Nullable(Type.String()),
  last_authenticated_at: Nullable(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp,
  plan_type: OneOf(['business', 'enterprise', 'unknown'] as const),
});
export type AssistantSeat = Static<typeof AssistantSeat>;

export const AssistantSeats = Type.Object({ total_seats: Type.Integer(), seats: Type.Array(AssistantSeat) });

const named = (of: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { minItems: 1, maxItems: 100, description: of });

export const SeatTeams = Type.Object({ selected_teams: named('Slugs of teams') }, { title: 'AssistantSeat' });
export const SeatUsers = Type.Object({ selected_usernames: named('Logins of members') }, { title: 'AssistantSeat' });
export const SeatsCreated = Type.Object({ seats_created: Type.Integer() });
export const SeatsCancelled = Type.Object({ seats_cancelled: Type.Integer() });

const date = Type.Optional(Type.String({ maxLength: 40 }));
export const MetricsTime = Type.Object({ since: date, until: date });
export type MetricsTime = Static<typeof MetricsTime>;

export const spaceRoles = ['reader', 'writer', 'admin'] as const;
export const baseRoles = [...spaceRoles, 'no_access'] as const;

export const AssistantSpace = Type.Object({
  id: Type.Integer(),
  number: Type.Integer(),
  name: Type.String(),
  description: Nullable(Type.String()),
  general_instructions: Nullable(Type.String()),
  base_role: OneOf(baseRoles),
  owner: OrganizationSimple,
  creator: Nullable(User),
  created_at: Timestamp,
  updated_at: Timestamp,
  html_url: Type.String(),
  api_url: Type.String(),
});
export type AssistantSpace = Static<typeof AssistantSpace>;

export const AssistantSpaceList = Type.Object({ spaces: Type.Array(AssistantSpace) });

const spaceProperties = {
  name: Type.String({ minLength: 1, maxLength: 255 }),
  description: Type.Optional(Type.String({ maxLength: 4_000 })),
  general_instructions: Type.Optional(Type.String({ maxLength: 4_000 })),
  resources_attributes: Refused(),
};

export const NewAssistantSpace = Type.Object(
  { ...spaceProperties, base_role: withDefault(OneOf(baseRoles), 'no_access') },
  { title: 'AssistantSpace' },
);
export type NewAssistantSpace = Static<typeof NewAssistantSpace>;

export const AssistantSpaceChange = Type.Object(
  { ...spaceProperties, name: Type.Optional(spaceProperties.name), base_role: Type.Optional(OneOf(baseRoles)) },
  { title: 'AssistantSpace' },
);
export type AssistantSpaceChange = Static<typeof AssistantSpaceChange>;

export const actorTypes = ['User', 'Team'] as const;

const UserCollaborator = Type.Object({ ...User.properties, actor_type: OneOf(['User'] as const), role: OneOf(spaceRoles) });
// A team's permissions in repositories don't belong here.
const { permission: _permission, permissions: _permissions, ...teamProperties } = Team.properties;
const TeamCollaborator = Type.Object({
  ...teamProperties,
  type: OneOf(['Team'] as const),
  actor_type: OneOf(['Team'] as const),
  role: OneOf(spaceRoles),
});

/** A user or team with a role in a space. */
export const SpaceCollaborator = Type.Union([UserCollaborator, TeamCollaborator]);
export type SpaceCollaborator = Static<typeof SpaceCollaborator>;

export const SpaceCollaborators = Type.Object({ collaborators: Type.Array(SpaceCollaborator) });

export const NewSpaceCollaborator = Type.Object(
  { actor_type: OneOf(actorTypes), actor_identifier: Type.String({ minLength: 1, maxLength: 255 }), role: OneOf(spaceRoles) },
  { title: 'SpaceCollaborator' },
);
export type NewSpaceCollaborator = Static<typeof NewSpaceCollaborator>;

export const SpaceCollaboratorChange = Type.Object({ role: OneOf(baseRoles) }, { title: 'SpaceCollaborator' });
