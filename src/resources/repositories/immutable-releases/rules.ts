import type { OrganizationAction, RepositoryAction } from '#access/action.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { inOrganization, inRepository } from '#events/scope.ts';
import { conflict } from '#lib/refusal.ts';
import { lockOrganization } from '#resources/identity/members/index.ts';
import { changeSelection, createSelection } from '#resources/repositories/repository-selections/index.ts';
import type { ImmutableReleasesChange } from './schemas.ts';
import { findRule, findState, insertRule, putEnabled, removeEnabled } from './store.ts';

/** Sets the repositories of an organization whose releases are immutable. */
export async function changeRule(scope: WriteScope, action: OrganizationAction, changes: ImmutableReleasesChange): Promise<void> {
  const { org } = action;
  const input = {
    resource: 'ImmutableReleases',
    mode: changes.enforced_repositories,
    ids: changes.selected_repository_ids,
  };
  await lockOrganization(scope.tx, org.id);
  const rule = await findRule(scope.tx, org.id);
  if (rule) await changeSelection(scope, action, rule.selection_id, input);
  else await insertRule(scope.tx, org.id, (await createSelection(scope, action, input)).id);
  await record(scope.tx, { ...inOrganization(action), kind: 'immutable_releases.changed', data: { enforced: input.mode } });
}

/** Makes the releases of a repository immutable from now on. */
export async function enableImmutableReleases(scope: WriteScope, action: RepositoryAction): Promise<void> {
  await refuseEnforced(scope, action);
  await putEnabled(scope.tx, action.repo.id, action.now);
  await record(scope.tx, { ...inRepository(action), kind: 'immutable_releases.enabled', data: {} });
}

/** Stops making new releases immutable. Releases that were published before stay immutable. */
export async function disableImmutableReleases(scope: WriteScope, action: RepositoryAction): Promise<void> {
  await refuseEnforced(scope, action);
  await removeEnabled(scope.tx, action.repo.id);
  await record(scope.tx, { ...inRepository(action), kind: 'immutable_releases.disabled', data: {} });
}

async function refuseEnforced(scope: WriteScope, { repo }: RepositoryAction): Promise<void> {
  const { enforced } = await findState(scope.tx, repo);
  if (enforced) throw conflict('The organization enforces immutable releases for this repository');
}

/** Whether a release that is published now is immutable, by the setting of its repository or of the organization. */
export async function hasImmutableReleases(scope: WriteScope, repo: RepositoryAction['repo']): Promise<boolean> {
  const { enabled, enforced } = await findState(scope.tx, repo);
  return enabled || enforced;
}
