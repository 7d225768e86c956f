import { nodeId } from '#lib/id.ts';
import { revived } from '#lib/snapshot.ts';
import { findInstallationById, type InstallationOfApp, listFirstReached, presentInstallations } from '#resources/apps/index.ts';
import { loadAccount, type PayloadBuilders, type PayloadContext, payloadBuilder, type WebhookEvent } from './payload-builder.ts';

/** The number of repositories that a payload lists at most. */
const maxRepositories = 1_000;

async function buildInstallationEvents(
  context: PayloadContext,
  row: InstallationOfApp,
  action: string,
): Promise<readonly WebhookEvent[]> {
  const { db, links } = context;
  const account = await loadAccount(context, row.account_id);
  if (!account) return [];
  const [installation] = await presentInstallations({ db, links }, [row]);
  const reached = await listFirstReached(db, row, maxRepositories);
  const repositories = reached.map(({ id, name, visibility }) => ({
    id,
    node_id: nodeId('Repository', id),
    name,
    full_name: `${account.login}/${name}`,
    private: visibility !== 'public',
  }));
  return [{ name: 'installation', action, body: { installation, repositories } }];
}

const present = <Kind extends 'installation.created' | 'installation.suspended' | 'installation.unsuspended'>(action: string) =>
  payloadBuilder<Kind>(['installation'], async (event, context) => {
    const row = await findInstallationById(context.db, event.data.installation);
    return row ? buildInstallationEvents(context, row, action) : [];
  });

export const installationPayloads: PayloadBuilders = {
  'installation.created': present('created'),
  'installation.suspended': present('suspend'),
  'installation.unsuspended': present('unsuspend'),
  'installation.deleted': payloadBuilder(['installation'], async (event, context) => {
    if (!event.data.was) return [];
    const times = ['created_at', 'updated_at', 'suspended_at'] as const;
    return buildInstallationEvents(context, revived<InstallationOfApp>(event.data.was, times), 'deleted');
  }),
};
