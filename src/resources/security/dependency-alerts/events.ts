import type { Id } from '#lib/id.ts';
import { aboutRepository, eventKinds, type PayloadBuilder, payloadBuilder, webhookEventType } from '#resources/event-kinds.ts';
import { presentAlert, presentVulnerabilityAlert } from './present.ts';
import { findAlert } from './store.ts';

type Alert = { alert: Id<'dependency_alerts'> };

declare module '#events/kinds.ts' {
  interface EventData {
    /** A comparison opened alerts: new ones, or previously closed ones. */
    'dependency_alerts.found': Record<never, never>;
    'dependency_alert.created': Alert;
    'dependency_alert.fixed': Alert;
    'dependency_alert.reintroduced': Alert;
    'dependency_alert.dismissed': Alert;
    'dependency_alert.reopened': Alert;
    /** Its advisory was withdrawn. */
    'dependency_alert.auto_dismissed': Alert;
    'dependency_alert.auto_reopened': Alert;
  }
}

const alertEvent = webhookEventType({ name: 'dependabot_alert', permission: 'vulnerability_alerts:read', hooks: 'all' });

/** The older event, which the public API still has beside the newer one. It has no actions for withdrawn advisories. */
const olderEvent = webhookEventType({
  name: 'repository_vulnerability_alert',
  permission: 'vulnerability_alerts:read',
  hooks: 'all',
});

const olderActions = {
  created: 'create',
  fixed: 'resolve',
  reintroduced: 'reopen',
  dismissed: 'dismiss',
  reopened: 'reopen',
  auto_dismissed: undefined,
  auto_reopened: undefined,
} as const;

type Action = 'created' | 'fixed' | 'reintroduced' | 'dismissed' | 'reopened' | 'auto_dismissed' | 'auto_reopened';

const alertPayload = <Kind extends Action>(action: Kind): PayloadBuilder<`dependency_alert.${Kind}`> =>
  payloadBuilder([alertEvent, olderEvent], (event, context) =>
    aboutRepository(context, event, async (repository) => {
      const row = await findAlert(context.db, event.data.alert);
      if (!row) return [];
      // Replies have these two fields, but payloads of the public API don't.
      const presented = await presentAlert(context, row, repository);
      const { security_advisory, assignees: _assignees, ...alert } = presented;
      const { classification: _, ...shown } = security_advisory;
      const olderAction = olderActions[action];
      return [
        { type: alertEvent, action, body: { alert: { ...alert, security_advisory: shown } } },
        ...(olderAction === undefined
          ? []
          : [{ type: olderEvent, action: olderAction, body: { alert: presentVulnerabilityAlert(row.id, presented) } }]),
      ];
    }),
  );

export const dependencyAlertEvents = eventKinds({
  'dependency_alerts.found': 'no webhook',
  'dependency_alert.created': alertPayload('created'),
  'dependency_alert.fixed': alertPayload('fixed'),
  'dependency_alert.reintroduced': alertPayload('reintroduced'),
  'dependency_alert.dismissed': alertPayload('dismissed'),
  'dependency_alert.reopened': alertPayload('reopened'),
  'dependency_alert.auto_dismissed': alertPayload('auto_dismissed'),
  'dependency_alert.auto_reopened': alertPayload('auto_reopened'),
});
