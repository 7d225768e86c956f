import type { OrganizationAction } from '#access/action.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { inOrganization } from '#events/scope.ts';
import { orNotFound } from '#lib/refusal.ts';
import { evaluateOrganizationDeletion } from '#resources/code/repository-rules/index.ts';
import { getAccountForUpdate, updateAccount } from '#resources/identity/accounts/index.ts';
import { lockOrganization, removeAllDirectRoles, removeMembersOf } from '#resources/identity/members/index.ts';
import { removeTeamsOf } from '#resources/identity/teams/index.ts';
import { uninstallAll } from '#resources/repositories/apps/index.ts';
import { concealRepositories } from '#resources/repositories/repositories/index.ts';
import { askToRemove } from './work.ts';

/**
 * Deletes an organization. From then on, nobody can find it or read its repositories. A job removes its data, which may be large,
 * and finally the organization's row, which frees its name.
 */
export async function deleteOrganization(scope: WriteScope, action: OrganizationAction): Promise<void> {
  const { org, by, now } = action;
  await lockOrganization(scope.tx, org.id);
  const { kind } = await getAccountForUpdate(scope.tx, org.id);
  orNotFound(kind === 'organization' ? org : undefined);
  const approval = await evaluateOrganizationDeletion(scope, action);
  await record(scope.tx, { ...inOrganization(action), kind: 'organization.deleted', data: { login: org.login } });
  await uninstallAll(scope, { account: org.id, by: by.account.id, now });
  await concealRepositories(scope.tx, org.id, approval);
  await removeAllDirectRoles(scope.tx, org.id);
  await removeTeamsOf(scope.tx, org.id);
  await removeMembersOf(scope.tx, org.id);
  await updateAccount(scope.tx, org.id, { kind: 'deleted', updated_at: now });
  await askToRemove(scope.tx);
}
