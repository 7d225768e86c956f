import type { OrganizationAction } from '#access/action.ts';
import type { Account, Org } from '#access/viewer.ts';
import type { Tx } from '#database/connect.ts';
import { record, recordEach } from '#events/record.ts';
import { inOrganization } from '#events/scope.ts';
import { invalid } from '#lib/refusal.ts';
import { findMembershipForUpdate } from '#resources/members/index.ts';
import { type Holder, insertAssignment, type RoleRow, removeAssignments } from './store.ts';

/** A user as the holder of a role. Refuses users who aren't members, since only members can have one. */
export async function memberHolder(tx: Tx, org: Org, user: Account): Promise<Holder> {
  if (!(await findMembershipForUpdate(tx, org.id, user.id)))
    throw invalid('OrganizationRole', 'username', 'invalid', 'username is not a member of this organization');
  return { user: user.id };
}

/** Assigns a role. Assigning it again has no effect. */
export async function assignRole(tx: Tx, action: OrganizationAction, holder: Holder, role: RoleRow): Promise<void> {
  const { org, now } = action;
  if (!(await insertAssignment(tx, { organization: org.id, role: role.id, holder, now }))) return;
  await record(tx, { ...inOrganization(action), kind: 'organization_role.assigned', data: { role: role.id, ...holder } });
}

/** Removes one role of a holder, or all. Removing nothing is no error. */
export async function revokeRoles(tx: Tx, action: OrganizationAction, holder: Holder, role?: RoleRow): Promise<void> {
  const removed = await removeAssignments(tx, action.org.id, holder, role?.id);
  const event = inOrganization(action);
  await recordEach(tx, removed, (id) => ({ ...event, kind: 'organization_role.revoked', data: { role: id, ...holder } }));
}
