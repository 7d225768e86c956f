import type { DeletedRow, EventData } from '#events/kinds.ts';
import type { Id } from '#lib/id.ts';
import { revived } from '#lib/snapshot.ts';
import {
  aboutRepository,
  changesOf,
  type EventScope,
  eventKinds,
  type PayloadScope,
  payloadBuilder,
  type WebhookEvent,
  webhookEventType,
} from '#resources/event-kinds.ts';
import type { AssetRow } from './asset-store.ts';
import { presentReleasePayload } from './present.ts';
import { loadReleases, type ReleaseRow } from './store.ts';

type OfRelease = { release: Id<'releases'> };

declare module '#events/kinds.ts' {
  interface EventData {
    'release.created': OfRelease;
    'release.published': OfRelease;
    'release.released': OfRelease;
    'release.prereleased': OfRelease;
    'release.unpublished': OfRelease;
    'release.edited': OfRelease & {
      from: { name?: string | null; body?: string | null; tag_name?: string };
      /** It was marked as the latest, or no longer is. */
      latest?: boolean;
    };
    'release.deleted': { release: DeletedRow<'releases'>; assets: DeletedRow<'release_assets'>[] };
    'release_asset.uploaded': OfRelease & { asset: Id<'release_assets'> };
    'release_asset.changed': OfRelease & { asset: Id<'release_assets'> };
    'release_asset.deleted': OfRelease & { name: string };
  }
}

const releaseEvent = webhookEventType({ name: 'release', permission: 'contents:read', hooks: 'all' });

const releasePayload = (
  context: PayloadScope,
  event: EventScope,
  built: { action: string; find: () => Promise<ReleaseRow | undefined>; assets?: readonly AssetRow[]; more?: object },
): Promise<readonly WebhookEvent[]> =>
  aboutRepository(context, event, async (repository) => {
    const row = await built.find();
    const release = row && (await presentReleasePayload(context, repository, row, built.assets));
    return release ? [{ type: releaseEvent, action: built.action, body: { release, ...built.more } }] : [];
  });

type ReleaseEvent = EventScope & { data: OfRelease };

const payloadOf = (action: string, context: PayloadScope, event: ReleaseEvent, more: object = {}) =>
  releasePayload(context, event, {
    action,
    more,
    find: async () => (await loadReleases(context.db, [event.data.release])).get(event.data.release),
  });

const changesOfEdit = ({ from, latest }: EventData['release.edited']) => {
  const { changes } = changesOf(from);
  return { changes: { ...changes, ...(latest === undefined ? {} : { make_latest: { to: latest } }) } };
};

export const releaseEvents = eventKinds({
  'release.created': payloadBuilder([releaseEvent], (event, context) => payloadOf('created', context, event)),
  'release.published': payloadBuilder([releaseEvent], (event, context) => payloadOf('published', context, event)),
  'release.released': payloadBuilder([releaseEvent], (event, context) => payloadOf('released', context, event)),
  'release.prereleased': payloadBuilder([releaseEvent], (event, context) => payloadOf('prereleased', context, event)),
  'release.unpublished': payloadBuilder([releaseEvent], (event, context) => payloadOf('unpublished', context, event)),
  'release.edited': payloadBuilder([releaseEvent], (event, context) =>
    payloadOf('edited', context, event, changesOfEdit(event.data)),
  ),
  'release.deleted': payloadBuilder([releaseEvent], (event, context) =>
    releasePayload(context, event, {
      action: 'deleted',
      assets: event.data.assets.map((asset) => revived<AssetRow>(asset, ['created_at', 'updated_at'])),
      find: async () => revived<ReleaseRow>(event.data.release, ['created_at', 'updated_at', 'published_at']),
    }),
  ),
  'release_asset.uploaded': 'no webhook',
  'release_asset.changed': 'no webhook',
  'release_asset.deleted': 'no webhook',
});
