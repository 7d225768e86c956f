import type { OrganizationAction } from '#access/action.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { unique } from '#lib/collections.ts';
import { conflict, invalid, type Refusal } from '#lib/refusal.ts';
import type { SelectionMode } from './schemas.ts';
import {
  addSelected,
  insertSelection,
  keepSelectable,
  putSelected,
  removeSelected as removeOne,
  removeSeveral,
  type SelectionId,
  type SelectionRow,
  updateSelection,
} from './store.ts';

/** The part of a request about a selection. `resource` is the name of the setting in a refusal. */
type SelectionInput = { resource: string; mode: SelectionMode; ids: readonly number[] | undefined };

/** Creates a selection for a new setting. */
export async function createSelection(
  scope: WriteScope,
  action: OrganizationAction,
  input: SelectionInput,
): Promise<SelectionRow> {
  const ids = await checkIds(scope, action, input);
  const selection = await insertSelection(scope.tx, action.org.id, input.mode);
  if (ids) await putSelected(scope.tx, selection.id, ids);
  return selection;
}

/** Changes a selection. Without ids, the selected repositories stay while the mode is `selected`. Any other mode clears them. */
export async function changeSelection(
  scope: WriteScope,
  action: OrganizationAction,
  selection: SelectionId,
  input: SelectionInput,
): Promise<void> {
  const ids = await checkIds(scope, action, input);
  await updateSelection(scope.tx, selection, input.mode);
  if (ids) await putSelected(scope.tx, selection, ids);
}

/** Adds repositories to the selection, and removes others. `field` names the added ones in a refusal. */
export async function adjustSelection(
  scope: WriteScope,
  { org, by }: OrganizationAction,
  selection: SelectionId,
  { resource, field, add, remove }: { resource: string; field: string; add: readonly number[]; remove: readonly number[] },
): Promise<void> {
  const distinct = unique(add);
  const kept = await keepSelectable(scope.tx, org.id, distinct, by.grant);
  if (kept.length < distinct.length)
    throw invalid(resource, field, 'invalid', `${field} must be repositories of this organization`);
  await removeSeveral(scope.tx, selection, await keepSelectable(scope.tx, org.id, unique(remove), by.grant));
  await addSelected(scope.tx, selection, kept);
}

/** Replaces the selected repositories, if the setting is for selected ones. */
export async function selectRepositories(
  scope: WriteScope,
  action: OrganizationAction,
  selection: SelectionRow,
  ids: readonly number[],
): Promise<void> {
  checkMode(selection);
  await changeSelection(scope, action, selection.id, { resource: 'RepositorySelection', mode: 'selected', ids });
}

/** Adds a repository of the organization to the selected ones. */
export async function addRepository(
  scope: WriteScope,
  selection: SelectionRow,
  repository: { readonly id: number },
): Promise<void> {
  checkMode(selection);
  await addSelected(scope.tx, selection.id, [repository.id]);
}

/** Removes a repository from the selection. Nothing happens if it isn't selected. */
export async function removeRepository(
  scope: WriteScope,
  selection: SelectionRow,
  repository: { readonly id: Parameters<typeof removeOne>[2] },
): Promise<void> {
  checkMode(selection);
  await removeOne(scope.tx, selection.id, repository.id);
}

/** The refusal of changes to the selection while the setting doesn't use one. */
export const notSelected = (mode: SelectionMode): Refusal =>
  conflict(`The setting holds for ${mode === 'none' ? 'no' : mode} repositories. Set it to selected repositories first.`);

function checkMode({ mode }: SelectionRow): void {
  if (mode !== 'selected') throw notSelected(mode);
}

/** Refuses repositories that don't belong to the organization, or that a fine-grained credential can't access. */
async function checkIds(
  scope: WriteScope,
  { org, by }: OrganizationAction,
  { resource, mode, ids }: SelectionInput,
): Promise<readonly number[] | undefined> {
  const refused = (message: string) =>
    invalid(resource, 'selected_repository_ids', 'invalid', `selected_repository_ids ${message}`);
  if (mode !== 'selected') {
    if (ids && ids.length > 0) throw refused('can be given where repositories are selected only');
    return [];
  }
  if (!ids) return undefined;
  const distinct = unique(ids);
  const kept = await keepSelectable(scope.tx, org.id, distinct, by.grant);
  if (kept.length < distinct.length) throw refused('must be repositories of this organization');
  return kept;
}
