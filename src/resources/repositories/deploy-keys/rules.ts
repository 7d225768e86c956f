import type { RepositoryAction } from '#access/action.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { inRepository } from '#events/scope.ts';
import { unprocessable } from '#lib/refusal.ts';
import { snapshotOf } from '#lib/snapshot.ts';
import { removeKey, storeKey } from '#resources/identity/accounts/index.ts';
import { getSettings } from '#resources/identity/organizations/index.ts';
import type { NewDeployKey } from './schemas.ts';
import type { DeployKeyRow } from './store.ts';

/** Adds a key with which machines fetch from the repository. Unless the key is read-only, they can also push. */
export async function createDeployKey(scope: WriteScope, action: RepositoryAction, wanted: NewDeployKey): Promise<DeployKeyRow> {
  const { by, now, repo } = action;
  await checkEnabled(scope, repo);
  const row = await storeKey(scope, { ...wanted, repository_id: repo.id, added_by: by.account.id, now });
  await record(scope.tx, { ...inRepository(action), kind: 'deploy_key.created', data: { key: row.id } });
  return { ...row, adder: by.account.login, enabled: true };
}

/** Refuses deploy keys if the organization has disabled them. */
async function checkEnabled(scope: WriteScope, repo: RepositoryAction['repo']): Promise<void> {
  if (repo.owner.kind !== 'organization') return;
  const settings = await getSettings(scope.tx, repo.owner_id);
  if (!settings.deploy_keys_enabled_for_repositories) throw unprocessable('Deploy keys are disabled for this repository');
}

export async function deleteDeployKey(scope: WriteScope, action: RepositoryAction, key: DeployKeyRow): Promise<void> {
  await removeKey(scope.tx, key.id);
  await record(scope.tx, { ...inRepository(action), kind: 'deploy_key.deleted', data: { was: snapshotOf(key) } });
}
