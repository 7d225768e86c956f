import type { OrganizationAction, RepositoryAction } from '#access/action.ts';
import type { Tx } from '#database/connect.ts';
import { record } from '#events/record.ts';
import { inOrganization, inRepository } from '#events/scope.ts';
import { conflict } from '#lib/refusal.ts';
import { lockOrganization } from '#resources/identity/members/index.ts';
import { changeSelection, createSelection } from '#resources/repositories/repository-selections/index.ts';
import type { ImmutableReleasesChange } from './schemas.ts';
import { findRule, findState, insertRule, putEnabled, removeEnabled } from './store.ts';

/** Sets the repositories of an organization whose releases are immutable. */
export async function changeRule(tx: Tx, action: OrganizationAction, changes: ImmutableReleasesChange): Promise<void> {
  const { org } = action;
  const input = {
    resource: 'ImmutableReleases',
    mode: changes.enforced_repositories,
    ids: changes.selected_repository_ids,
  };
  await lockOrganization(tx, org.id);
  const rule = await findRule(tx, org.id);
  if (rule) await changeSelection(tx, action, rule.selection_id, input);
  else await insertRule(tx, org.id, (await createSelection(tx, action, input)).id);
  await record(tx, { ...inOrganization(action), kind: 'immutable_releases.changed', data: { enforced: input.mode } });
}

/** Makes the releases of a repository immutable from now on. */
export async function enableImmutableReleases(tx: Tx, action: RepositoryAction): Promise<void> {
  await refuseEnforced(tx, action);
  await putEnabled(tx, action.repo.id, action.now);
  await record(tx, { ...inRepository(action), kind: 'immutable_releases.enabled', data: {} });
}

/** Lets releases that are published from now on be changed; those published before stay immutable. */
export async function disableImmutableReleases(tx: Tx, action: RepositoryAction): Promise<void> {
  await refuseEnforced(tx, action);
  await removeEnabled(tx, action.repo.id);
  await record(tx, { ...inRepository(action), kind: 'immutable_releases.disabled', data: {} });
}

async function refuseEnforced(tx: Tx, { repo }: RepositoryAction): Promise<void> {
  const { enforced } = await findState(tx, repo);
  if (enforced) throw conflict('The organization enforces immutable releases for this repository');
}

/** Whether releases that are published in a repository now are immutable, by its own wish or by that of its organization. */
export async function hasImmutableReleases(tx: Tx, repo: RepositoryAction['repo']): Promise<boolean> {
  const { enabled, enforced } = await findState(tx, repo);
  return enabled || enforced;
}
