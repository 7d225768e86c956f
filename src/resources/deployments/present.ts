import type { Account } from '#access/viewer.ts';
import type { Context } from '#endpoint/context.ts';
import { defined, gather, getOptional } from '#lib/collections.ts';
import { nodeId } from '#lib/id.ts';
import { firstOrNotFound } from '#lib/refusal.ts';
import { timestamp } from '#lib/time.ts';
import { loadAccounts, presentUserOrNull } from '#resources/accounts/index.ts';
import { type LoadedApp, loadApps, presentAppOrNull } from '#resources/apps/index.ts';
import type { RepositoryUrls } from '#resources/commits/index.ts';
import type { Deployment, DeploymentStatus } from './schemas.ts';
import type { DeploymentRow, StatusRow } from './store.ts';

export type DeploymentContext = Context & { urls: RepositoryUrls };
type Made = Pick<DeploymentRow | StatusRow, 'creator_id' | 'via_app_id'>;
type Makers = { accounts: ReadonlyMap<number, Account>; apps: ReadonlyMap<LoadedApp['id'], LoadedApp> };

/** Who made some deployments or statuses. */
async function loadMakers({ db }: DeploymentContext, rows: readonly Made[]): Promise<Makers> {
  const [accounts, apps] = await Promise.all([
    loadAccounts(db, gather(rows, 'creator_id')),
    loadApps(db, gather(rows, 'via_app_id')),
  ]);
  return { accounts, apps };
}

const presentMaker = ({ links }: DeploymentContext, { creator_id, via_app_id }: Made, { accounts, apps }: Makers) => ({
  creator: presentUserOrNull(links, getOptional(accounts, creator_id)),
  performed_via_service_app: presentAppOrNull(links, via_app_id, apps),
});

const urlOf = ({ urls }: DeploymentContext, id: DeploymentRow['id']): string => `${urls.url}/deployments/${id}`;

/** Deployments of a whole page. */
export async function presentDeployments(context: DeploymentContext, rows: readonly DeploymentRow[]): Promise<Deployment[]> {
  const makers = await loadMakers(context, rows);
  return rows.map((row) => {
    const url = urlOf(context, row.id);
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
      ...presentMaker(context, row, makers),
      created_at: timestamp(row.created_at),
      updated_at: timestamp(row.updated_at),
      statuses_url: `${url}/statuses`,
      repository_url: context.urls.url,
      transient_environment: row.is_transient,
      production_environment: row.is_production,
    };
  });
}

/** One deployment. */
export const presentDeployment = async (context: DeploymentContext, row: DeploymentRow): Promise<Deployment> =>
  firstOrNotFound(await presentDeployments(context, [row]));

/** Statuses of a whole page. */
export async function presentStatuses(context: DeploymentContext, rows: readonly StatusRow[]): Promise<DeploymentStatus[]> {
  const makers = await loadMakers(context, rows);
  return rows.map((row) => {
    const deployment_url = urlOf(context, row.deployment_id);
    const log_url = row.log_url.startsWith('/') ? `${context.links.html}${row.log_url}` : row.log_url;
    return {
      url: `${deployment_url}/statuses/${row.id}`,
      id: row.id,
      node_id: nodeId('DeploymentStatus', row.id),
      state: row.state,
      ...presentMaker(context, row, makers),
      description: row.description,
      environment: row.environment,
      target_url: log_url,
      created_at: timestamp(row.created_at),
      updated_at: timestamp(row.created_at),
      deployment_url,
      repository_url: context.urls.url,
      environment_url: row.environment_url,
      log_url,
    };
  });
}

/** A status as payloads show it: without addresses that it hasn't. */
export async function presentStatusPayload(context: DeploymentContext, row: StatusRow): Promise<Partial<DeploymentStatus>> {
  const { environment_url, log_url, ...status } = await presentStatus(context, row);
  return { ...status, ...defined({ environment_url: environment_url || undefined, log_url: log_url || undefined }) };
}

/** One status. */
export const presentStatus = async (context: DeploymentContext, row: StatusRow): Promise<DeploymentStatus> =>
  firstOrNotFound(await presentStatuses(context, [row]));
