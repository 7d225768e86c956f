import type { OrganizationAction } from '#access/action.ts';
import type { Tx } from '#database/connect.ts';
import { record } from '#events/record.ts';
import { inOrganization } from '#events/scope.ts';
import { lockOrganization } from '#resources/identity/members/index.ts';
import { adjustSelection, createSelection } from '#resources/repositories/repository-selections/index.ts';
import type { BotAccessChange, BotDefaultLevel } from './schemas.ts';
import { type AccessRow, findAccess, insertAccess, updateLevel } from './store.ts';

const resource = 'DependencyBotAccess';

/** Adds repositories to those that the bot may read, and takes others away. */
export async function changeAccess(tx: Tx, action: OrganizationAction, wanted: BotAccessChange): Promise<void> {
  const { selection_id } = await lockAccess(tx, action);
  const [add, remove] = [wanted.repository_ids_to_add ?? [], wanted.repository_ids_to_remove ?? []];
  await adjustSelection(tx, action, selection_id, { resource, field: 'repository_ids_to_add', add, remove });
  await record(tx, { ...inOrganization(action), kind: 'dependency_bot_access.changed', data: {} });
}

/** Lets the bot read all repositories of a visibility, and of those that more people can read. */
export async function changeLevel(tx: Tx, action: OrganizationAction, { default_level }: BotDefaultLevel): Promise<void> {
  await lockAccess(tx, action);
  await updateLevel(tx, action.org.id, default_level);
  await record(tx, { ...inOrganization(action), kind: 'dependency_bot_access.changed', data: {} });
}

/** The row of the organization, which is made where it isn't there. The organization stays locked, so that there is one. */
async function lockAccess(tx: Tx, action: OrganizationAction): Promise<AccessRow> {
  const { org } = action;
  await lockOrganization(tx, org.id);
  const found = await findAccess(tx, org.id);
  if (found) return found;
  const { id } = await createSelection(tx, action, { resource, mode: 'selected', ids: [] });
  return insertAccess(tx, { organization_id: org.id, default_level: null, selection_id: id });
}
