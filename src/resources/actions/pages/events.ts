import type { Loader } from '#endpoint/loaders.ts';
import type { Id } from '#lib/id.ts';
import { repositoryUrlsOf } from '#resources/code/commits/index.ts';
import { aboutRepository, eventKinds, payloadBuilder, webhookEventType } from '#resources/event-kinds.ts';
import { presentBuild } from './present.ts';
import { type BuildRow, loadBuilds } from './store.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    'pages.created': Record<never, never>;
    'pages.changed': Record<never, never>;
    'pages.deleted': Record<never, never>;
    /** A build ended, successfully or not. */
    'pages.built': { build: Id<'pages_builds'> };
    /** A build of an artifact ended, successfully or not. */
    'pages.deployed': { build: Id<'pages_builds'> };
  }
}

const buildEvent = webhookEventType({ name: 'page_build', permission: 'pages:read', hooks: 'all' });

const loadBuildsOf: Loader<BuildRow['id'], BuildRow> = ({ db }, ids) => loadBuilds(db, ids);

export const pagesEvents = eventKinds({
  'pages.created': 'no webhook',
  'pages.changed': 'no webhook',
  'pages.deleted': 'no webhook',
  'pages.deployed': 'no webhook',
  'pages.built': payloadBuilder([buildEvent], (event, context) =>
    aboutRepository(context, event, async (repository) => {
      const row = await context.load(loadBuildsOf, event.data.build);
      if (row?.repository_id !== repository.id) return [];
      const build = await presentBuild(context, repositoryUrlsOf(context.links, repository), row);
      return [{ type: buildEvent, action: null, body: { id: row.id, build } }];
    }),
  ),
});
