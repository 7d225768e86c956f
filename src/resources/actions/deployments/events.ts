import type { Loader } from '#endpoint/loaders.ts';
import type { Id } from '#lib/id.ts';
import { repositoryUrlsOf } from '#resources/code/commits/index.ts';
import { aboutRepository, eventKinds, payloadBuilder, webhookEventType } from '#resources/event-kinds.ts';
import { presentDeployment, presentStatusPayload } from './present.ts';
import { type DeploymentRow, loadDeployments, loadStatuses, type StatusRow } from './store.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    'deployment.created': { deployment: Id<'deployments'> };
    'deployment.deleted': { environment: string; sha: string };
    'deployment_status.created': { deployment: Id<'deployments'>; status: Id<'deployment_statuses'> };
  }
}

const ofDeployments = { permission: 'deployments:read', hooks: 'all' } as const;
const deploymentEvent = webhookEventType({ name: 'deployment', ...ofDeployments });
const statusEvent = webhookEventType({ name: 'deployment_status', ...ofDeployments });

const loadDeploymentsOf: Loader<DeploymentRow['id'], DeploymentRow> = ({ db }, ids) => loadDeployments(db, ids);
const loadStatusesOf: Loader<StatusRow['id'], StatusRow> = ({ db }, ids) => loadStatuses(db, ids);

export const deploymentEvents = eventKinds({
  'deployment.created': payloadBuilder([deploymentEvent], (event, context) =>
    aboutRepository(context, event, async (repository) => {
      const row = await context.load(loadDeploymentsOf, event.data.deployment);
      if (row?.repository_id !== repository.id) return [];
      const urls = repositoryUrlsOf(context.links, repository);
      const deployment = await presentDeployment(context, urls, row);
      // Only deployments of workflows have these two fields.
      return [{ type: deploymentEvent, action: 'created', body: { deployment, workflow: null, workflow_run: null } }];
    }),
  ),
  'deployment.deleted': 'no webhook',
  'deployment_status.created': payloadBuilder([statusEvent], (event, context) =>
    aboutRepository(context, event, async (repository) => {
      const [row, status] = await Promise.all([
        context.load(loadDeploymentsOf, event.data.deployment),
        context.load(loadStatusesOf, event.data.status),
      ]);
      if (!status || row?.repository_id !== repository.id) return [];
      const urls = repositoryUrlsOf(context.links, repository);
      const [deployment, deployment_status] = await Promise.all([
        presentDeployment(context, urls, row),
        presentStatusPayload(context, urls, status),
      ]);
      return [{ type: statusEvent, action: 'created', body: { deployment, deployment_status } }];
    }),
  ),
});
