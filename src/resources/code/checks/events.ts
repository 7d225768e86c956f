import type { Loader } from '#endpoint/loaders.ts';
import type { Id } from '#lib/id.ts';
import { repositoryUrlsOf } from '#resources/code/commits/index.ts';
import {
  aboutRepository,
  type EventScope,
  eventKinds,
  type PayloadScope,
  payloadBuilder,
  type WebhookEvent,
  webhookEventType,
} from '#resources/event-kinds.ts';
import { presentRunPayload, presentSuitePayload } from './present.ts';
import { loadRuns, loadSuites, type RunRow, type SuiteRow } from './store.ts';

type OfRun = { run: Id<'check_runs'>; app: Id<'apps'> };
type OfSuite = { suite: Id<'check_suites'>; app: Id<'apps'> };

declare module '#events/kinds.ts' {
  interface EventData {
    'check_run.created': OfRun;
    'check_run.completed': OfRun;
    'check_run.rerequested': OfRun;
    'check_suite.requested': OfSuite;
    'check_suite.rerequested': OfSuite;
    'check_suite.completed': OfSuite;
  }
}

/** Apps that write checks get these events without subscribing (the public API's rule). */
const ofChecks = { permission: 'checks:read', hooks: 'all', unasked: 'checks:write' } as const;
const runEvent = webhookEventType({ name: 'check_run', ...ofChecks });
const suiteEvent = webhookEventType({ name: 'check_suite', ...ofChecks });

const loadRunsOf: Loader<Id<'check_runs'>, RunRow> = ({ db }, ids) => loadRuns(db, ids);
const loadSuitesOf: Loader<Id<'check_suites'>, SuiteRow> = ({ db }, ids) => loadSuites(db, ids);

const runPayload = (
  action: string,
  context: PayloadScope,
  event: EventScope & { data: OfRun },
): Promise<readonly WebhookEvent[]> =>
  aboutRepository(context, event, async (repository) => {
    const run = await context.load(loadRunsOf, event.data.run);
    const suite = run && (await context.load(loadSuitesOf, run.check_suite_id));
    if (!suite || run.repository_id !== repository.id) return [];
    const urls = repositoryUrlsOf(context.links, repository);
    return [{ type: runEvent, action, body: { check_run: await presentRunPayload(context, urls, run, suite) } }];
  });

const suitePayload = (
  action: string,
  context: PayloadScope,
  event: EventScope & { data: OfSuite },
): Promise<readonly WebhookEvent[]> =>
  aboutRepository(context, event, async (repository) => {
    const suite = await context.load(loadSuitesOf, event.data.suite);
    if (suite?.repository_id !== repository.id) return [];
    const urls = repositoryUrlsOf(context.links, repository);
    const check_suite = await presentSuitePayload(context, urls, suite);
    return check_suite ? [{ type: suiteEvent, action, body: { check_suite } }] : [];
  });

/** A request to one app is sent to that app only. */
const ofItsApp = { onlyFor: ({ data }: { data: OfRun | OfSuite }) => data.app };

export const checkEvents = eventKinds({
  'check_run.created': payloadBuilder([runEvent], (event, context) => runPayload('created', context, event)),
  'check_run.completed': payloadBuilder([runEvent], (event, context) => runPayload('completed', context, event)),
  'check_run.rerequested': payloadBuilder([runEvent], (event, context) => runPayload('rerequested', context, event), ofItsApp),
  'check_suite.requested': payloadBuilder([suiteEvent], (event, context) => suitePayload('requested', context, event), ofItsApp),
  'check_suite.rerequested': payloadBuilder(
    [suiteEvent],
    (event, context) => suitePayload('rerequested', context, event),
    ofItsApp,
  ),
  'check_suite.completed': payloadBuilder([suiteEvent], (event, context) => suitePayload('completed', context, event)),
});
