// What pages show of deployments: each with its present state.
import { Type } from 'typebox';
import { mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages } from '#endpoint/paging.ts';
import type { Scope } from '#endpoint/scope.ts';
import { gather } from '#lib/collections.ts';
import { type RepositoryUrls, repositoryUrlsOf } from '#resources/code/commits/index.ts';
import { readsDeployments } from './policies.ts';
import { presentDeployments } from './present.ts';
import { DeploymentFilter, DeploymentWithState } from './schemas.ts';
import { listDeployments, loadLatestLogs } from './store.ts';

export const listDeploymentsWithState = endpoint({
  id: 'repos/list-deployments-with-state',
  method: 'GET',
  path: '/repos/{owner}/{repo}/deployments-with-state',
  summary: 'List deployments with their present states',
  access: readsDeployments,
  query: DeploymentFilter,
  paging: pages(),
  replies: { 200: Type.Array(DeploymentWithState) },
  async handle({ scope, db, at, query, page, links }) {
    const urls = repositoryUrlsOf(links, at.repo);
    return mapRows(await listDeployments(db, at.repo.id, query, page), (rows) => presentWithStates(scope, urls, rows));
  },
});

type Rows = Parameters<typeof presentDeployments>[2];

async function presentWithStates(scope: Scope, urls: RepositoryUrls, rows: Rows) {
  const [shown, logs] = await Promise.all([presentDeployments(scope, urls, rows), loadLatestLogs(scope.db, gather(rows, 'id'))]);
  return shown.map((one, at) => {
    const row = rows[at];
    return { ...one, state: row?.state ?? null, log_url: (row && logs.get(row.id)) ?? '' };
  });
}
