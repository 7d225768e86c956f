// Rules for groups of runners.

import type { OrganizationAction } from '#access/action.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { inOrganization } from '#events/scope.ts';
import { unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { fixedValue } from '#lib/limits.ts';
import { invalid, orNotFound, unprocessable } from '#lib/refusal.ts';
import { moveHostedRunners } from '#resources/actions/hosted-runners/index.ts';
import { lockOrganization } from '#resources/identity/members/index.ts';
import { getDefaultGroup, insertGroup, removeGroup, updateGroup } from '#resources/identity/runner-groups/index.ts';
import { changeSelection, createSelection, removeSelection } from '#resources/repositories/repository-selections/index.ts';
import { countGroups, findGroupForUpdate, type GroupRow } from './group-store.ts';
import { runnerLimits } from './limits.ts';
import type { NewRunnerGroup, RunnerGroupChange } from './schemas.ts';
import { keepRunners, moveOthers, moveRunners, notifyQueued, type RunnerRow } from './store.ts';

const resource = 'RunnerGroup';
const maxGroups = fixedValue(runnerLimits.runnerGroups);
const maxGroupWorkflows = fixedValue(runnerLimits.groupWorkflows);

/** Creates a group. The organization is locked, so that one of two concurrent requests with the same name is refused. */
export async function createGroup(scope: WriteScope, action: OrganizationAction, wanted: NewRunnerGroup): Promise<GroupRow> {
  const { org, now } = action;
  const { name, visibility, selected_repository_ids, runners = [], ...columns } = wanted;
  await lockOrganization(scope.tx, org.id);
  const total = await checkName(scope, org.id, { name });
  if (total >= maxGroups)
    throw invalid(resource, 'name', 'unprocessable', `An organization can have at most ${maxGroups} groups`);
  const selection = await createSelection(scope, action, { resource, mode: visibility, ids: selected_repository_ids });
  const { id } = await insertGroup(scope.tx, {
    organization_id: org.id,
    name,
    selection_id: selection.id,
    ...columnsOf(columns),
    created_at: now,
  });
  if (runners.length > 0) await moveRunners(scope.tx, await checkRunners(scope, org.id, runners), id);
  await record(scope.tx, { ...inOrganization(action), kind: 'runner_group.created', data: { group: id } });
  notifyQueued(scope.tx);
  return orNotFound(await findGroupForUpdate(scope.tx, { id }));
}

export async function changeGroup(
  scope: WriteScope,
  action: OrganizationAction,
  group: GroupRow,
  wanted: RunnerGroupChange,
): Promise<GroupRow> {
  const { name, visibility, ...columns } = wanted;
  await checkName(scope, action.org.id, { name, own: group.id });
  await updateGroup(scope.tx, group.id, {
    name,
    ...columnsOf(columns),
    ...(await visibilityColumns(scope, action, group, visibility)),
  });
  await record(scope.tx, { ...inOrganization(action), kind: 'runner_group.updated', data: { group: group.id } });
  notifyQueued(scope.tx);
  return orNotFound(await findGroupForUpdate(scope.tx, group));
}

async function visibilityColumns(
  scope: WriteScope,
  action: OrganizationAction,
  { selection_id }: GroupRow,
  mode: RunnerGroupChange['visibility'],
) {
  if (mode === undefined) return {};
  const input = { resource, mode, ids: undefined };
  if (selection_id === null) return { selection_id: (await createSelection(scope, action, input)).id };
  await changeSelection(scope, action, selection_id, input);
  return {};
}

/**
 * Deletes a group. Its runners move to the default group.
 * @throws Refusal 422 for the default group
 */
export async function deleteGroup(scope: WriteScope, action: OrganizationAction, group: GroupRow): Promise<void> {
  if (group.is_default) throw unprocessable(`The group ${group.name} is the default one, which can't be deleted.`);
  const other = await getDefaultGroup(scope.tx, action.org.id);
  await moveOthers(scope.tx, { from: group.id, to: other.id, but: [] });
  await moveHostedRunners(scope.tx, group.id, other.id);
  await removeGroup(scope.tx, group.id);
  if (group.selection_id !== null) await removeSelection(scope.tx, group.selection_id);
  await record(scope.tx, {
    ...inOrganization(action),
    kind: 'runner_group.deleted',
    data: { group: group.id, name: group.name },
  });
  notifyQueued(scope.tx);
}

/** Sets the self-hosted runners of a group. Runners that it loses move to the default group. */
export async function setGroupRunners(
  scope: WriteScope,
  { org }: OrganizationAction,
  group: GroupRow,
  ids: readonly number[],
): Promise<void> {
  const runners = await checkRunners(scope, org.id, ids);
  const other = await getDefaultGroup(scope.tx, org.id);
  if (other.id !== group.id) await moveOthers(scope.tx, { from: group.id, to: other.id, but: runners });
  await moveRunners(scope.tx, runners, group.id);
  notifyQueued(scope.tx);
}

/** Moves a runner to a group. */
export async function addToGroup(scope: WriteScope, group: GroupRow, { id }: Pick<RunnerRow, 'id'>): Promise<void> {
  await moveRunners(scope.tx, [id], group.id);
  notifyQueued(scope.tx);
}

/** Removes a runner from a group. It moves to the default group. */
export async function takeFromGroup(
  scope: WriteScope,
  { org }: OrganizationAction,
  { id }: Pick<RunnerRow, 'id'>,
): Promise<void> {
  await moveRunners(scope.tx, [id], (await getDefaultGroup(scope.tx, org.id)).id);
  notifyQueued(scope.tx);
}

/** @returns the number of the organization's groups */
async function checkName(
  scope: WriteScope,
  organization: Id<'accounts'>,
  wanted: { name: string; own?: Id<'runner_groups'> },
): Promise<number> {
  const { total, clash } = await countGroups(scope.tx, organization, wanted);
  if (clash) throw invalid(resource, 'name', 'already_exists');
  return total;
}

async function checkRunners(scope: WriteScope, organization: Id<'accounts'>, ids: readonly number[]): Promise<Id<'runners'>[]> {
  const distinct = unique(ids);
  const kept = await keepRunners(scope.tx, organization, distinct);
  if (kept.length < distinct.length)
    throw invalid(resource, 'runners', 'invalid', 'runners must be self-hosted runners of this organization');
  return kept;
}

type Columns = Omit<RunnerGroupChange, 'name' | 'visibility'>;

/** The columns of a request. */
function columnsOf({ network_configuration_id, selected_workflows, ...columns }: Columns) {
  if (network_configuration_id !== undefined && network_configuration_id !== null)
    throw invalid(resource, 'network_configuration_id', 'invalid', 'There are no network configurations');
  const wrong = selected_workflows?.find((name) => !workflowName.test(name));
  if (wrong !== undefined) throw invalid(resource, 'selected_workflows', 'invalid', 'Workflows are named as owner/repo/path@ref');
  if (selected_workflows && selected_workflows.length > maxGroupWorkflows)
    throw invalid(resource, 'selected_workflows', 'invalid', `At most ${maxGroupWorkflows} workflows are allowed`);
  return selected_workflows ? { ...columns, selected_workflows: unique(selected_workflows) } : columns;
}

const workflowName = /^[^/@\s]+\/[^/@\s]+\/[^@\s]+@\S+$/;
