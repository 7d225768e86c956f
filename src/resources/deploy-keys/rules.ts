import type { RepositoryAction } from '#access/action.ts';
import type { Tx } from '#database/connect.ts';
import { record } from '#events/record.ts';
import { inRepository } from '#events/scope.ts';
import { snapshotOf } from '#lib/snapshot.ts';
import { removeKey, storeKey } from '#resources/accounts/index.ts';
import type { NewDeployKey } from './schemas.ts';
import type { DeployKeyRow } from './store.ts';

/** Adds a key by which machines fetch from the repository, and push to it unless it is read-only. */
export async function createDeployKey(tx: Tx, action: RepositoryAction, wanted: NewDeployKey): Promise<DeployKeyRow> {
  const { by, now, repo } = action;
  const row = await storeKey(tx, { ...wanted, repository_id: repo.id, added_by: by.account.id, now });
  await record(tx, { ...inRepository(action), kind: 'deploy_key.created', data: { key: row.id } });
  return { ...row, adder: by.account.login };
}

export async function deleteDeployKey(tx: Tx, action: RepositoryAction, key: DeployKeyRow): Promise<void> {
  await removeKey(tx, key.id);
  await record(tx, { ...inRepository(action), kind: 'deploy_key.deleted', data: { was: snapshotOf(key) } });
}
