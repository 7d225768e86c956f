// Deployments by the server's own apps, such as workflows. They don't come through the API, and their environments have already
// been checked.
import type { Tx } from '#database/connect.ts';
import { record } from '#events/record.ts';
import { inRepository } from '#events/scope.ts';
import type { Id } from '#lib/id.ts';
import { recordInPulls, recordStatuses } from './rules.ts';
import type { DeploymentRow, StatusRow } from './store.ts';
import * as store from './store.ts';

/** The repository, the user and the app of a deployment. */
export type AppAction = Parameters<typeof inRepository>[0] & { readonly app: Id<'apps'> };

/** Creates a deployment of a commit, without a status. */
export async function createAppDeployment(
  tx: Tx,
  action: AppAction,
  { sha, ref, full_ref, environment }: Pick<DeploymentRow, 'sha' | 'ref' | 'full_ref' | 'environment'>,
): Promise<DeploymentRow> {
  const { repo, by, app, now } = action;
  const creator = by.account?.id ?? null;
  const row = await store.insertDeployment(tx, {
    repository_id: repo.id,
    sha,
    ref,
    full_ref,
    task: 'deploy',
    original_environment: environment,
    environment,
    payload: '{}',
    description: null,
    is_transient: false,
    is_production: environment.toLowerCase() === 'production',
    creator_id: creator,
    via_app_id: app,
    created_at: now,
    updated_at: now,
  });
  await record(tx, { ...inRepository(action), kind: 'deployment.created', data: { deployment: row.id } });
  await recordInPulls(tx, row, { actor: creator, app, at: now }, 'deployed');
  return row;
}

type NewAppStatus = {
  readonly state: StatusRow['state'];
  readonly description: string;
  /** It may start with a slash, which means an address of this server. */
  readonly logUrl: string;
  readonly environmentUrl?: string | undefined;
};

/**
 * Adds a status to a deployment, unless it was deleted. As always, a success makes earlier deployments to the same environment
 * inactive.
 */
export async function createAppStatus(
  tx: Tx,
  action: AppAction,
  id: DeploymentRow['id'],
  { state, description, logUrl, environmentUrl = '' }: NewAppStatus,
): Promise<void> {
  const { by, app, now } = action;
  const deployment = await store.findDeploymentForUpdate(tx, { id });
  if (!deployment) return;
  const made = { creator_id: by.account?.id ?? null, via_app_id: app, created_at: now };
  const after = await store.updateDeployment(tx, id, { state, updated_at: now });
  const row = await store.insertStatus(tx, {
    deployment_id: id,
    state,
    description,
    environment: deployment.environment,
    log_url: logUrl,
    environment_url: environmentUrl,
    ...made,
  });
  await recordStatuses(tx, action, [{ id: row.id, deployment_id: id }]);
  if (state === 'success') await recordStatuses(tx, action, await store.deactivateEarlier(tx, after, made));
}
