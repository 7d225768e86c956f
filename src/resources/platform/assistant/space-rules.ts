import type { OrganizationAction } from '#access/action.ts';
import type { Db } from '#database/connect.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { inOrganization } from '#events/scope.ts';
import { defined } from '#lib/collections.ts';
import { fixedValue } from '#lib/limits.ts';
import { forbidden, invalid } from '#lib/refusal.ts';
import { lockOrganization } from '#resources/identity/members/index.ts';
import { spaceLimits } from './limits.ts';
import type { AssistantSpaceChange, baseRoles, NewAssistantSpace, NewSpaceCollaborator } from './schemas.ts';
import { loadMembersNamed, loadTeamsNamed } from './seat-store.ts';
import {
  type CollaboratorRow,
  countCollaborators,
  insertCollaborator,
  insertSpace,
  nextNumber,
  removeCollaborator,
  type SpaceRow,
  updateCollaborator,
  updateSpace,
  type VisibleSpace,
} from './space-store.ts';

const resource = 'SpaceCollaborator';
const maxSpaces = fixedValue(spaceLimits.spaces);
const maxCollaborators = fixedValue(spaceLimits.collaborators);

const levels = { writer: 2, admin: 3 } as const;

/** @throws Refusal 403 for users with a lower role in a space */
function demand(space: VisibleSpace, role: keyof typeof levels): void {
  if (space.level < levels[role]) throw forbidden(`You must have the role ${role} in this space`);
}

/** Creates a space. Its creator administers it. */
export async function createSpace(scope: WriteScope, action: OrganizationAction, wanted: NewAssistantSpace): Promise<SpaceRow> {
  const { org, by, now } = action;
  await lockOrganization(scope.tx, org.id);
  const number = await nextNumber(scope.tx, org.id);
  if (number > maxSpaces)
    throw invalid('AssistantSpace', 'name', 'unprocessable', `An organization can have at most ${maxSpaces} spaces`);
  const space = await insertSpace(scope.tx, {
    organization_id: org.id,
    number,
    name: wanted.name,
    description: wanted.description ?? null,
    general_instructions: wanted.general_instructions ?? null,
    base_role: wanted.base_role,
    creator_id: by.account.id,
    created_at: now,
    updated_at: now,
  });
  await record(scope.tx, { ...inOrganization(action), kind: 'assistant_space.created', data: { space: space.id } });
  return space;
}

/** Changes the named fields of a space. Writers may change its texts; administrators may also change the role of members. */
export async function changeSpace(
  scope: WriteScope,
  action: OrganizationAction,
  space: VisibleSpace,
  wanted: AssistantSpaceChange,
): Promise<SpaceRow> {
  demand(space, wanted.base_role === undefined || wanted.base_role === space.base_role ? 'writer' : 'admin');
  const { name, description, general_instructions, base_role } = wanted;
  const changed = await updateSpace(scope.tx, space.id, {
    ...defined({ name, description, general_instructions, base_role }),
    updated_at: action.now,
  });
  await noteChange(scope, action, space);
  return changed;
}

/**
 * Gives a user or a team of the organization a role in a space.
 * @throws Refusal 422 for others, and for existing collaborators
 */
export async function addCollaborator(
  scope: WriteScope,
  action: OrganizationAction,
  space: VisibleSpace,
  { actor_type, actor_identifier, role }: NewSpaceCollaborator,
): Promise<CollaboratorRow> {
  demand(space, 'admin');
  const actor = await findActor(scope.tx, action, actor_type, actor_identifier);
  if ((await countCollaborators(scope.tx, space.id)) >= maxCollaborators)
    throw invalid(resource, 'actor_identifier', 'unprocessable', `A space can have at most ${maxCollaborators} collaborators`);
  const row = await insertCollaborator(scope.tx, { space_id: space.id, ...actor, role, created_at: action.now });
  if (!row) throw invalid(resource, 'actor_identifier', 'already_exists', `${actor_identifier} is a collaborator already`);
  await noteChange(scope, action, space);
  return row;
}

async function findActor(
  db: Db,
  { org }: OrganizationAction,
  type: NewSpaceCollaborator['actor_type'],
  name: string,
): Promise<Pick<CollaboratorRow, 'user_id' | 'team_id'>> {
  const key = name.toLowerCase();
  const user_id = type === 'User' ? (await loadMembersNamed(db, org.id, [name])).get(key)?.id : undefined;
  const team_id = type === 'Team' ? (await loadTeamsNamed(db, org.id, [name])).get(key)?.id : undefined;
  if (user_id === undefined && team_id === undefined)
    throw invalid(
      resource,
      'actor_identifier',
      'invalid',
      `${name} is no ${type === 'User' ? 'member' : 'team'} of the organization`,
    );
  return { user_id: user_id ?? null, team_id: team_id ?? null };
}

/**
 * Changes the role of a collaborator, or removes it.
 * @returns undefined if it was removed
 */
export async function changeCollaborator(
  scope: WriteScope,
  action: OrganizationAction,
  { space, collaborator }: { space: VisibleSpace; collaborator: CollaboratorRow },
  role: (typeof baseRoles)[number],
): Promise<CollaboratorRow | undefined> {
  demand(space, 'admin');
  await noteChange(scope, action, space);
  if (role !== 'no_access') return updateCollaborator(scope.tx, collaborator.id, { role });
  await removeCollaborator(scope.tx, collaborator.id);
  return undefined;
}

const noteChange = (scope: WriteScope, action: OrganizationAction, { id }: SpaceRow): Promise<void> =>
  record(scope.tx, { ...inOrganization(action), kind: 'assistant_space.changed', data: { space: id } });
