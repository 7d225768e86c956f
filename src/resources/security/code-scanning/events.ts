import type { Id } from '#lib/id.ts';
import { aboutRepository, eventKinds, type PayloadBuilder, payloadBuilder, webhookEventType } from '#resources/event-kinds.ts';
import { presentAlert } from './present.ts';
import { findAlert } from './store.ts';

/** An alert, and the ref and the commit of the event. */
type OnRef = { alert: Id<'code_scanning_alerts'>; ref: string; commit: string };

declare module '#events/kinds.ts' {
  interface EventData {
    'code_scanning_alert.created': OnRef;
    'code_scanning_alert.appeared_in_branch': OnRef;
    'code_scanning_alert.fixed': OnRef;
    'code_scanning_alert.reopened': OnRef;
    'code_scanning_alert.closed_by_user': OnRef;
    'code_scanning_alert.reopened_by_user': OnRef;
  }
}

const alertEvent = webhookEventType({ name: 'code_scanning_alert', permission: 'security_events:read', hooks: 'all' });

type Action = 'created' | 'appeared_in_branch' | 'fixed' | 'reopened' | 'closed_by_user' | 'reopened_by_user';

const alertPayload = <Kind extends Action>(action: Kind): PayloadBuilder<`code_scanning_alert.${Kind}`> =>
  payloadBuilder([alertEvent], (event, context) =>
    aboutRepository(context, event, async (repository) => {
      const { ref, commit } = event.data;
      const row = await findAlert(context.db, event.data.alert, ref);
      if (!row) return [];
      // Payloads of the public API don't include when an alert was fixed.
      const { fixed_at: _, ...alert } = await presentAlert(context, row, repository);
      // An alert that was dismissed and is no longer in the code counts as fixed there.
      const shown = action === 'fixed' ? { ...alert, state: 'fixed' } : alert;
      return [{ type: alertEvent, action, body: { alert: shown, ref, commit_oid: commit } }];
    }),
  );

export const codeScanningEvents = eventKinds({
  'code_scanning_alert.created': alertPayload('created'),
  'code_scanning_alert.appeared_in_branch': alertPayload('appeared_in_branch'),
  'code_scanning_alert.fixed': alertPayload('fixed'),
  'code_scanning_alert.reopened': alertPayload('reopened'),
  'code_scanning_alert.closed_by_user': alertPayload('closed_by_user'),
  'code_scanning_alert.reopened_by_user': alertPayload('reopened_by_user'),
});
