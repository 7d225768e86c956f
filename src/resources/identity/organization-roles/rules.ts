import type { OrganizationAction } from '#access/action.ts';
import type { Account, Org } from '#access/viewer.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record, recordEach } from '#events/record.ts';
import { inOrganization } from '#events/scope.ts';
import { fixedValue } from '#lib/limits.ts';
import { invalid } from '#lib/refusal.ts';
import { findMembershipForUpdate, lockOrganization } from '#resources/identity/members/index.ts';
import { roleLimits } from './limits.ts';
import { type Holder, insertAssignment, isSecurityManager, listTeamsGiven, type RoleRow, removeAssignments } from './store.ts';

/** A user as the holder of a role. Refuses users who aren't members, since only members can have one. */
export async function memberHolder(scope: WriteScope, org: Org, user: Account): Promise<Holder> {
  if (!(await findMembershipForUpdate(scope.tx, org.id, user.id)))
    throw invalid('OrganizationRole', 'username', 'invalid', 'username is not a member of this organization');
  return { user: user.id };
}

const maxSecurityTeams = fixedValue(roleLimits.securityTeams);

/** Assigns a role. Assigning it again has no effect. */
export async function assignRole(scope: WriteScope, action: OrganizationAction, holder: Holder, role: RoleRow): Promise<void> {
  const { org, now } = action;
  const isCounted = 'team' in holder && isSecurityManager(role);
  if (isCounted) await lockOrganization(scope.tx, org.id);
  if (!(await insertAssignment(scope.tx, { organization: org.id, role: role.id, holder, now }))) return;
  if (isCounted && (await listTeamsGiven(scope.tx, org.id, role.id)).length > maxSecurityTeams) {
    const message = `At most ${maxSecurityTeams} teams may manage the security of an organization`;
    throw invalid('OrganizationRole', 'team_slug', 'unprocessable', message);
  }
  await record(scope.tx, { ...inOrganization(action), kind: 'organization_role.assigned', data: { role: role.id, ...holder } });
}

/** Removes one role of a holder, or all. Removing nothing is no error. */
export async function revokeRoles(scope: WriteScope, action: OrganizationAction, holder: Holder, role?: RoleRow): Promise<void> {
  const removed = await removeAssignments(scope.tx, action.org.id, holder, role?.id);
  const event = inOrganization(action);
  await recordEach(scope.tx, removed, (id) => ({ ...event, kind: 'organization_role.revoked', data: { role: id, ...holder } }));
}
