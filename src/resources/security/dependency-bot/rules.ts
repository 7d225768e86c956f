import type { OrganizationAction } from '#access/action.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { inOrganization } from '#events/scope.ts';
import { lockOrganization } from '#resources/identity/members/index.ts';
import { adjustSelection, createSelection } from '#resources/repositories/repository-selections/index.ts';
import type { BotAccessChange, BotDefaultLevel } from './schemas.ts';
import { type AccessRow, findAccess, insertAccess, updateLevel } from './store.ts';

const resource = 'DependencyBotAccess';

/** Adds repositories to the ones that the bot may read, and removes others. */
export async function changeAccess(scope: WriteScope, action: OrganizationAction, wanted: BotAccessChange): Promise<void> {
  const { selection_id } = await lockAccess(scope, action);
  const [add, remove] = [wanted.repository_ids_to_add ?? [], wanted.repository_ids_to_remove ?? []];
  await adjustSelection(scope, action, selection_id, { resource, field: 'repository_ids_to_add', add, remove });
  await record(scope.tx, { ...inOrganization(action), kind: 'dependency_bot_access.changed', data: {} });
}

/** Lets the bot read all repositories of a visibility, and of wider ones. */
export async function changeLevel(
  scope: WriteScope,
  action: OrganizationAction,
  { default_level }: BotDefaultLevel,
): Promise<void> {
  await lockAccess(scope, action);
  await updateLevel(scope.tx, action.org.id, default_level);
  await record(scope.tx, { ...inOrganization(action), kind: 'dependency_bot_access.changed', data: {} });
}

/** The row of the organization, created if it is missing. The organization stays locked, so that there is only one. */
async function lockAccess(scope: WriteScope, action: OrganizationAction): Promise<AccessRow> {
  const { org } = action;
  await lockOrganization(scope.tx, org.id);
  const found = await findAccess(scope.tx, org.id);
  if (found) return found;
  const { id } = await createSelection(scope, action, { resource, mode: 'selected', ids: [] });
  return insertAccess(scope.tx, { organization_id: org.id, default_level: null, selection_id: id });
}
