import type { Id } from '#lib/id.ts';
import { revived, type Snapshot } from '#lib/snapshot.ts';
import {
  aboutRepository,
  type EventScope,
  eventKinds,
  type PayloadScope,
  payloadBuilder,
  webhookEventType,
} from '#resources/event-kinds.ts';
import { presentDeployKey } from './present.ts';
import { type DeployKeyRow, findDeployKeyById } from './store.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    'deploy_key.created': { key: Id<'public_keys'> };
    'deploy_key.deleted': { was: Snapshot<DeployKeyRow> };
  }
}

const deployKeyEvent = webhookEventType({ name: 'deploy_key', permission: 'deployments:read', hooks: 'all' });

const deployKeyPayload = (context: PayloadScope, event: EventScope, action: string, key: DeployKeyRow | undefined) =>
  aboutRepository(context, event, (repository) =>
    key ? [{ type: deployKeyEvent, action, body: { key: presentDeployKey(context.links, repository, key) } }] : [],
  );

export const deployKeyEvents = eventKinds({
  'deploy_key.created': payloadBuilder([deployKeyEvent], async (event, context) =>
    deployKeyPayload(context, event, 'created', await findDeployKeyById(context.db, event.data.key)),
  ),
  'deploy_key.deleted': payloadBuilder([deployKeyEvent], (event, context) =>
    deployKeyPayload(context, event, 'deleted', revived<DeployKeyRow>(event.data.was, ['created_at', 'last_used_at'])),
  ),
});
