import type { Id } from '#lib/id.ts';
import { timestamp } from '#lib/time.ts';
import { repositoryUrlsOf } from '#resources/code/commits/index.ts';
import {
  aboutRepository,
  type EventScope,
  eventKinds,
  type PayloadBuilder,
  type PayloadScope,
  payloadBuilder,
  type WebhookEvent,
  webhookEventType,
} from '#resources/event-kinds.ts';
import { findAccountById, presentUser } from '#resources/identity/accounts/index.ts';
import { presentLocation, presentPayloadAlerts, scanTypes } from './present.ts';
import { findAlert, findLocation } from './store.ts';

type Alert = { alert: Id<'secret_alerts'> };

declare module '#events/kinds.ts' {
  interface EventData {
    'secret_scanning_alert.created': Alert;
    'secret_scanning_alert.resolved': Alert;
    'secret_scanning_alert.reopened': Alert;
    'secret_scanning_alert.validated': Alert;
    'secret_scanning_alert.assigned': Alert & { assignee: Id<'accounts'> };
    'secret_scanning_alert.unassigned': Alert & { assignee: Id<'accounts'> };
    'secret_scanning_alert_location.created': Alert & { location: Id<'secret_locations'> };
    /**
     * `source`: the scanned data, in the term of webhooks. Events of former versions lack it, and were about Git. `pattern` and
     * `scope`: the custom pattern of the scan, if any.
     */
    'secret_scanning_scan.completed': {
      type: keyof typeof scanTypes;
      source?: 'git' | 'issues' | 'pull-requests';
      started_at: string;
      completed_at: string;
      pattern: string | null;
      scope: 'organization' | 'repository' | null;
    };
  }
}

const permission = 'secret_scanning_alerts:read';
const alertEvent = webhookEventType({ name: 'secret_scanning_alert', permission, hooks: 'all' });
const locationEvent = webhookEventType({ name: 'secret_scanning_alert_location', permission, hooks: 'all' });
const scanEvent = webhookEventType({ name: 'secret_scanning_scan', permission, hooks: 'all' });

type Build = (shown: object) => Promise<WebhookEvent | undefined> | WebhookEvent | undefined;

/** A webhook event about an alert that still exists. Payloads contain no secrets. */
const aboutAlert = (context: PayloadScope, event: EventScope & { data: Alert }, build: Build): Promise<readonly WebhookEvent[]> =>
  aboutRepository(context, event, async (repository) => {
    const row = await findAlert(context.db, event.data.alert);
    const [alert] = row ? await presentPayloadAlerts(context, [row], () => repository) : [];
    const built = alert && (await build({ alert }));
    return built ? [built] : [];
  });

const alertPayload = <Kind extends 'created' | 'resolved' | 'reopened' | 'validated'>(
  action: Kind,
): PayloadBuilder<`secret_scanning_alert.${Kind}`> =>
  payloadBuilder([alertEvent], (event, context) =>
    aboutAlert(context, event, (shown) => ({ type: alertEvent, action, body: { ...shown } })),
  );

const assigneePayload = <Kind extends 'assigned' | 'unassigned'>(action: Kind): PayloadBuilder<`secret_scanning_alert.${Kind}`> =>
  payloadBuilder([alertEvent], (event, context) =>
    aboutAlert(context, event, async (shown) => {
      const account = await findAccountById(context.db, event.data.assignee);
      return account && { type: alertEvent, action, body: { ...shown, assignee: presentUser(context.links, account) } };
    }),
  );

export const secretScanningEvents = eventKinds({
  'secret_scanning_alert.created': alertPayload('created'),
  'secret_scanning_alert.resolved': alertPayload('resolved'),
  'secret_scanning_alert.reopened': alertPayload('reopened'),
  'secret_scanning_alert.validated': alertPayload('validated'),
  'secret_scanning_alert.assigned': assigneePayload('assigned'),
  'secret_scanning_alert.unassigned': assigneePayload('unassigned'),
  'secret_scanning_alert_location.created': payloadBuilder([locationEvent], (event, context) =>
    aboutAlert(context, event, async (shown) => {
      const [location, repository] = await Promise.all([
        findLocation(context.db, event.data.location),
        context.findRepository(event),
      ]);
      if (!location || !repository) return undefined;
      const urls = repositoryUrlsOf(context.links, repository);
      return { type: locationEvent, action: 'created', body: { ...shown, location: presentLocation(urls, location) } };
    }),
  ),
  'secret_scanning_scan.completed': payloadBuilder([scanEvent], (event, context) =>
    aboutRepository(context, event, () => {
      const { type, source = 'git', started_at, completed_at, pattern, scope } = event.data;
      return [
        {
          type: scanEvent,
          action: 'completed',
          body: {
            type: scanTypes[type],
            source,
            started_at: timestamp(new Date(started_at)),
            completed_at: timestamp(new Date(completed_at)),
            secret_types: null,
            ...(pattern === null ? {} : { custom_pattern_name: pattern, custom_pattern_scope: scope }),
          },
        },
      ];
    }),
  ),
});
