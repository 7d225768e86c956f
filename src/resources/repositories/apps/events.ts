import type { DeletedRow } from '#events/kinds.ts';
import type { Id } from '#lib/id.ts';
import { nodeId } from '#lib/id.ts';
import { revived } from '#lib/snapshot.ts';
import { eventKinds, type PayloadScope, payloadBuilder, type WebhookEvent, webhookEventType } from '#resources/event-kinds.ts';
import { findAccountById } from '#resources/identity/accounts/index.ts';
import { presentInstallations } from './present.ts';
import { findInstallationById, type InstallationOfApp, listFirstReached } from './store.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    'app.created': { app: Id<'apps'> };
    'app.changed': { app: Id<'apps'> };
    'installation.created': { installation: Id<'installations'> };
    'installation.permissions_accepted': { installation: Id<'installations'> };
    'installation.suspended': { installation: Id<'installations'> };
    'installation.unsuspended': { installation: Id<'installations'> };
    /** A repository on its list was deleted or transferred. */
    'installation.repository_removed': {
      installation: Id<'installations'>;
      repository: { id: Id<'repositories'>; name: string; full_name: string; private: boolean };
    };
    'installation.deleted': {
      installation: Id<'installations'>;
      was?: DeletedRow<'installations'> & { app_slug: string; client_id: string };
    };
  }
}

/** Only the app's own hook receives it, regardless of the hook's events. */
const installationEvent = webhookEventType({ name: 'installation', permission: 'none', hooks: 'apps' });

const repositoriesEvent = webhookEventType({ name: 'installation_repositories', permission: 'none', hooks: 'apps' });

/** The maximum number of repositories in a payload. */
const maxRepositories = 1_000;

async function buildInstallationEvents(
  context: PayloadScope,
  row: InstallationOfApp,
  action: string,
): Promise<readonly WebhookEvent[]> {
  const { db } = context;
  const account = await findAccountById(db, row.account_id);
  if (!account) return [];
  const [installation] = await presentInstallations(context, [row]);
  const reached = await listFirstReached(db, row, maxRepositories);
  const repositories = reached.map(({ id, name, visibility }) => ({
    id,
    node_id: nodeId('Repository', id),
    name,
    full_name: `${account.login}/${name}`,
    private: visibility !== 'public',
  }));
  return [{ type: installationEvent, action, body: { installation, repositories } }];
}

const installationPayload = <
  Kind extends
    | 'installation.created'
    | 'installation.permissions_accepted'
    | 'installation.suspended'
    | 'installation.unsuspended',
>(
  action: string,
) =>
  payloadBuilder<Kind>([installationEvent], async (event, context) => {
    const row = await findInstallationById(context.db, event.data.installation);
    return row ? buildInstallationEvents(context, row, action) : [];
  });

export const appEvents = eventKinds({
  'app.created': 'no webhook',
  'app.changed': 'no webhook',
  'installation.created': installationPayload('created'),
  'installation.permissions_accepted': installationPayload('new_permissions_accepted'),
  'installation.suspended': installationPayload('suspend'),
  'installation.unsuspended': installationPayload('unsuspend'),
  'installation.repository_removed': payloadBuilder([repositoriesEvent], async (event, context) => {
    const { installation: id, repository } = event.data;
    const row = await findInstallationById(context.db, id);
    if (!row) return [];
    const [installation] = await presentInstallations(context, [row]);
    const body = {
      installation,
      repository_selection: row.repository_selection,
      repositories_added: [],
      repositories_removed: [{ ...repository, node_id: nodeId('Repository', repository.id) }],
      requester: null,
    };
    return [{ type: repositoriesEvent, action: 'removed', body }];
  }),
  'installation.deleted': payloadBuilder([installationEvent], async (event, context) => {
    if (!event.data.was) return [];
    const times = ['created_at', 'updated_at', 'suspended_at'] as const;
    return buildInstallationEvents(context, revived<InstallationOfApp>(event.data.was, times), 'deleted');
  }),
});
