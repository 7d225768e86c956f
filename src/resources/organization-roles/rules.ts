import type { OrganizationAction } from '#access/action.ts';
import type { Account, Org } from '#access/viewer.ts';
import type { Tx } from '#database/connect.ts';
import { record, recordEach } from '#events/record.ts';
import { inOrganization } from '#events/scope.ts';
import type { Id } from '#lib/id.ts';
import { invalid, orNotFound } from '#lib/refusal.ts';
import { findMembershipForUpdate } from '#resources/members/index.ts';
import { findTeam } from '#resources/teams/index.ts';
import { findRole, type Holder, insertAssignment, removeAssignments } from './store.ts';

type RoleId = Id<'organization_roles'>;

/** Finds the team that is to get or lose a role. */
export async function teamHolder(tx: Tx, org: Org, slug: string): Promise<Holder> {
  return { team: orNotFound(await findTeam(tx, org.id, slug)).id };
}

/** A user who is to get or lose a role. Refuses users who aren't members, since only members can have one. */
export async function memberHolder(tx: Tx, org: Org, user: Account): Promise<Holder> {
  if (!(await findMembershipForUpdate(tx, org.id, user.id)))
    throw invalid('OrganizationRole', 'username', 'invalid', 'username is not a member of this organization');
  return { user: user.id };
}

/** Gives a role. If the holder has it already, nothing changes. */
export async function assignRole(tx: Tx, action: OrganizationAction, holder: Holder, id: RoleId): Promise<void> {
  const { org, now } = action;
  const role = orNotFound(await findRole(tx, org.id, id));
  if (!(await insertAssignment(tx, { organization: org.id, role: role.id, holder, now }))) return;
  await record(tx, { ...inOrganization(action), kind: 'organization_role.assigned', data: { role: role.id, ...holder } });
}

/** Removes one role of a holder, or all. If there is nothing to remove, that is no error. */
export async function revokeRoles(tx: Tx, action: OrganizationAction, holder: Holder, id?: RoleId): Promise<void> {
  const { org } = action;
  const role = id === undefined ? undefined : orNotFound(await findRole(tx, org.id, id)).id;
  const taken = await removeAssignments(tx, org.id, holder, role);
  const where = inOrganization(action);
  await recordEach(tx, taken, (id) => ({ ...where, kind: 'organization_role.revoked', data: { role: id, ...holder } }));
}
