import type { OrgStep } from '#access/step.ts';
import type { Account, Org } from '#access/viewer.ts';
import type { Tx } from '#database/connect.ts';
import { inOrganization } from '#events/place.ts';
import { record, recordEach } from '#events/record.ts';
import type { Id } from '#lib/id.ts';
import { existing, invalid } from '#lib/refusal.ts';
import { holdMembership } from '#resources/members/index.ts';
import { findTeam } from '#resources/teams/index.ts';
import { findRole, type Holder, insertAssignment, removeAssignments } from './store.ts';

type RoleId = Id<'organization_roles'>;

/** Finds the team that is to get or lose a role. */
export async function teamHolder(tx: Tx, org: Org, slug: string): Promise<Holder> {
  return { team: existing(await findTeam(tx, org.id, slug)).id };
}

/** A user who is to get or lose a role. Refuses users who aren't members, since only members can have one. */
export async function memberHolder(tx: Tx, org: Org, user: Account): Promise<Holder> {
  if (!(await holdMembership(tx, org.id, user.id)))
    throw invalid('OrganizationRole', 'username', 'invalid', 'username is not a member of this organization');
  return { user: user.id };
}

/** Gives a role. If the holder has it already, nothing changes. */
export async function assignRole(tx: Tx, step: OrgStep, holder: Holder, id: RoleId): Promise<void> {
  const { org, now } = step;
  const role = existing(await findRole(tx, org.id, id));
  if (!(await insertAssignment(tx, { organization: org.id, role: role.id, holder, now }))) return;
  await record(tx, { ...inOrganization(step), kind: 'organization_role.assigned', data: { role: role.id, ...holder } });
}

/** Removes one role of a holder, or all. If there is nothing to remove, that is no error. */
export async function revokeRoles(tx: Tx, step: OrgStep, holder: Holder, id?: RoleId): Promise<void> {
  const { org } = step;
  const role = id === undefined ? undefined : existing(await findRole(tx, org.id, id)).id;
  const taken = await removeAssignments(tx, org.id, holder, role);
  const where = inOrganization(step);
  await recordEach(tx, taken, (id) => ({ ...where, kind: 'organization_role.revoked', data: { role: id, ...holder } }));
}
