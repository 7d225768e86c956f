import type { OrganizationAction, RepositoryAction } from '#access/action.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { inOrganization, inRepository } from '#events/scope.ts';
import { badRequest, conflict, invalid, type Refusal, unprocessable } from '#lib/refusal.ts';
import { lockOrganization } from '#resources/identity/members/index.ts';
import { changeSelection, createSelection, type SelectionMode } from '#resources/repositories/repository-selections/index.ts';
import { isActionPattern } from './action-patterns.ts';
import { listBeyond } from './allowed-actions.ts';
import { loadOrganization, loadRepository } from './load.ts';
import {
  type OrganizationActionsPermissionsChange,
  PrivateForkWorkflowsChange,
  type RepositoryActionsPermissionsChange,
  type SelectedActionsChange,
} from './schemas.ts';
import { beyond, type Said } from './settings.ts';
import { findOrganizationRow, putOrganizationColumns, putRepositoryColumns } from './store.ts';

type Action = OrganizationAction | RepositoryAction;

/**
 * Changes the settings of an organization or a repository. Omitted settings stay as they are.
 * @throws Refusal if the organization forbids it
 */
export async function changeSettings(scope: WriteScope, action: Action, wanted: Said): Promise<void> {
  if (!('repo' in action)) return put(scope, action, wanted);
  const { organization } = await loadRepository(scope.tx, action.repo);
  refuseBeyond(beyond(organization?.settings, wanted));
  await put(scope, action, wanted);
}

/** Sets the repositories of an organization that may run workflows, and the actions that these may use. */
export async function changeOrganizationPermissions(
  scope: WriteScope,
  action: OrganizationAction,
  { enabled_repositories, ...wanted }: OrganizationActionsPermissionsChange,
): Promise<void> {
  const enabled_selection_id = await putSelection(scope, action, 'enabled_selection_id', { mode: enabled_repositories });
  await putOrganizationColumns(scope.tx, action.org.id, { ...wanted, enabled_selection_id });
  const data = { ...wanted, enabled_repositories };
  await record(scope.tx, { ...inOrganization(action), kind: 'actions_settings.changed', data });
}

/** Sets the repositories of an organization that may have their own self-hosted runners. */
export async function changeRunnersPermissions(
  scope: WriteScope,
  action: OrganizationAction,
  wanted: { enabled_repositories: SelectionMode; selected_repository_ids?: readonly number[] },
): Promise<void> {
  const { enabled_repositories: mode, selected_repository_ids: ids } = wanted;
  const runners_selection_id = await putSelection(scope, action, 'runners_selection_id', { mode, ids });
  await putOrganizationColumns(scope.tx, action.org.id, { runners_selection_id });
  await record(scope.tx, { ...inOrganization(action), kind: 'actions_settings.changed', data: { self_hosted_runners_of: mode } });
}

/** Creates or changes one of an organization's two selections. The organization stays locked, so that none is created twice. */
async function putSelection(
  scope: WriteScope,
  action: OrganizationAction,
  column: 'enabled_selection_id' | 'runners_selection_id',
  { mode, ids }: { mode: SelectionMode; ids?: readonly number[] | undefined },
) {
  const input = { resource: 'ActionsPermissions', mode, ids };
  await lockOrganization(scope.tx, action.org.id);
  const selection = (await findOrganizationRow(scope.tx, action.org.id))?.[column];
  if (!selection) return (await createSelection(scope, action, input)).id;
  await changeSelection(scope, action, selection, input);
  return selection;
}

/** Sets whether a repository runs workflows, and the actions that these may use. */
export async function changeRepositoryPermissions(
  scope: WriteScope,
  action: RepositoryAction,
  wanted: RepositoryActionsPermissionsChange,
): Promise<void> {
  const { organization, isEnabledByOwner } = await loadRepository(scope.tx, action.repo);
  if (wanted.enabled && !isEnabledByOwner) throw conflict('The organization does not let this repository run workflows');
  refuseBeyond(beyond(organization?.settings, wanted));
  await put(scope, action, wanted);
}

/** Sets the list of selected actions, which only exists while `allowed_actions` is `selected`. */
export async function changeSelectedActions(scope: WriteScope, action: Action, wanted: SelectedActionsChange): Promise<void> {
  checkPatterns(wanted.patterns_allowed ?? []);
  if (!('repo' in action)) {
    const { settings } = await loadOrganization(scope.tx, action.org.id);
    refuseUnselected(settings);
    return put(scope, action, wanted);
  }
  const { settings, organization } = await loadRepository(scope.tx, action.repo);
  refuseUnselected(settings);
  if (organization?.settings.allowed_actions === 'selected') refuseBeyond(listBeyond(organization.selected, wanted));
  // The mode may come from the organization. From now on, the repository has its own list.
  const isEmpty = Object.keys(wanted).length === 0;
  await put(scope, action, isEmpty ? {} : { ...wanted, allowed_actions: 'selected' });
}

/** Refuses to read or change a list of selected actions while none exists. */
export function refuseUnselected({ allowed_actions }: { readonly allowed_actions: string }): void {
  if (allowed_actions !== 'selected') throw conflict('allowed_actions is not set to selected actions');
}

function checkPatterns(texts: readonly string[]): void {
  const wrong = texts.find((text) => !isActionPattern(text));
  if (wrong === undefined) return;
  const message = `'${wrong}' is no pattern of actions, as owner/*, owner/repo@v1 or !owner/repo@*`;
  throw invalid('SelectedActions', 'patterns_allowed', 'invalid', message);
}

/** Sets which repositories may use the actions and workflows of a private one. */
export async function changeAccessLevel(
  scope: WriteScope,
  action: RepositoryAction,
  access_level: 'none' | 'user' | 'organization',
): Promise<void> {
  refusePublic(action.repo);
  const sharing = action.repo.owner.kind === 'user' ? 'user' : 'organization';
  if (access_level !== 'none' && access_level !== sharing)
    throw invalid('WorkflowAccess', 'access_level', 'invalid', `access_level can be none or ${sharing} here`);
  await put(scope, action, { access_level });
}

/** Refuses access levels for public repositories, which everybody may use. */
export function refusePublic({ visibility }: { readonly visibility: string }): void {
  if (visibility === 'public') throw unprocessable('There are levels of access for repositories alone that are not public');
}

/** The public API answers 400 for caches, 422 for retention and the workflows of forks, and 409 for the rest. */
function refusalOf(name: string): (message: string) => Refusal {
  if (name.startsWith('max_cache')) return badRequest;
  const isUnprocessable =
    name === 'artifact_and_log_retention_days' || Object.hasOwn(PrivateForkWorkflowsChange.properties, name);
  return isUnprocessable ? unprocessable : conflict;
}

/** Refuses a setting that exceeds what the organization allows. */
function refuseBeyond(name: string | undefined): void {
  if (name === undefined) return;
  throw refusalOf(name)(`The organization allows no such value of ${name === 'artifact_and_log_retention_days' ? 'days' : name}`);
}

/** Stores the settings, and records the change. */
async function put(
  scope: WriteScope,
  action: Action,
  wanted: Said & { enabled?: boolean; access_level?: 'none' | 'user' | 'organization' },
) {
  if (Object.keys(wanted).length === 0) return;
  const { patterns_allowed, ...rest } = wanted;
  const columns = { ...rest, ...(patterns_allowed && { patterns_allowed: [...patterns_allowed] }) };
  if ('repo' in action) await putRepositoryColumns(scope.tx, action.repo.id, columns);
  else await putOrganizationColumns(scope.tx, action.org.id, columns);
  const about = 'repo' in action ? inRepository(action) : inOrganization(action);
  await record(scope.tx, { ...about, kind: 'actions_settings.changed', data: wanted });
}
