import type { Account } from '#access/viewer.ts';
import type { Scope } from '#endpoint/scope.ts';
import { defined, gather, getOptional } from '#lib/collections.ts';
import { nodeId } from '#lib/id.ts';
import { firstOrNotFound } from '#lib/refusal.ts';
import { timestamp } from '#lib/time.ts';
import type { RepositoryUrls } from '#resources/code/commits/index.ts';
import { loadAccounts, presentUserOrNull } from '#resources/identity/accounts/index.ts';
import { type LoadedApp, loadApps, presentAppOrNull } from '#resources/repositories/apps/index.ts';
import type { Deployment, DeploymentStatus } from './schemas.ts';
import type { DeploymentRow, StatusRow } from './store.ts';

type Made = Pick<DeploymentRow | StatusRow, 'creator_id' | 'via_app_id'>;
type Makers = { accounts: ReadonlyMap<number, Account>; apps: ReadonlyMap<LoadedApp['id'], LoadedApp> };

/** The creators of deployments or statuses. */
async function loadMakers({ db }: Scope, rows: readonly Made[]): Promise<Makers> {
  const [accounts, apps] = await Promise.all([
    loadAccounts(db, gather(rows, 'creator_id')),
    loadApps(db, gather(rows, 'via_app_id')),
  ]);
  return { accounts, apps };
}

const presentMaker = ({ links }: Scope, { creator_id, via_app_id }: Made, { accounts, apps }: Makers) => ({
  creator: presentUserOrNull(links, getOptional(accounts, creator_id)),
  performed_via_service_app: presentAppOrNull(links, via_app_id, apps),
});

const urlOf = (urls: RepositoryUrls, id: DeploymentRow['id']): string => `${urls.url}/deployments/${id}`;

/** Presents a page of deployments. */
export async function presentDeployments(
  scope: Scope,
  urls: RepositoryUrls,
  rows: readonly DeploymentRow[],
): Promise<Deployment[]> {
  const makers = await loadMakers(scope, rows);
  return rows.map((row) => {
    const url = urlOf(urls, row.id);
    return {
      url,
      id: row.id,
      node_id: nodeId('Deployment', row.id),
      sha: row.sha,
      ref: row.ref,
      task: row.task,
      payload: JSON.parse(row.payload),
      original_environment: row.original_environment,
      environment: row.environment,
      description: row.description,
      ...presentMaker(scope, row, makers),
      created_at: timestamp(row.created_at),
      updated_at: timestamp(row.updated_at),
      statuses_url: `${url}/statuses`,
      repository_url: urls.url,
      transient_environment: row.is_transient,
      production_environment: row.is_production,
    };
  });
}

export const presentDeployment = async (scope: Scope, urls: RepositoryUrls, row: DeploymentRow): Promise<Deployment> =>
  firstOrNotFound(await presentDeployments(scope, urls, [row]));

/** Presents a page of statuses. */
export async function presentStatuses(
  scope: Scope,
  urls: RepositoryUrls,
  rows: readonly StatusRow[],
): Promise<DeploymentStatus[]> {
  const makers = await loadMakers(scope, rows);
  return rows.map((row) => {
    const deployment_url = urlOf(urls, row.deployment_id);
    const log_url = row.log_url.startsWith('/') ? `${scope.links.html}${row.log_url}` : row.log_url;
    return {
      url: `${deployment_url}/statuses/${row.id}`,
      id: row.id,
      node_id: nodeId('DeploymentStatus', row.id),
      state: row.state,
      ...presentMaker(scope, row, makers),
      description: row.description,
      environment: row.environment,
      target_url: log_url,
      created_at: timestamp(row.created_at),
      updated_at: timestamp(row.created_at),
      deployment_url,
      repository_url: urls.url,
      environment_url: row.environment_url,
      log_url,
    };
  });
}

/** A status in payloads, without null addresses. */
export async function presentStatusPayload(
  scope: Scope,
  urls: RepositoryUrls,
  row: StatusRow,
): Promise<Partial<DeploymentStatus>> {
  const { environment_url, log_url, ...status } = await presentStatus(scope, urls, row);
  return { ...status, ...defined({ environment_url: environment_url || undefined, log_url: log_url || undefined }) };
}

export const presentStatus = async (scope: Scope, urls: RepositoryUrls, row: StatusRow): Promise<DeploymentStatus> =>
  firstOrNotFound(await presentStatuses(scope, urls, [row]));
