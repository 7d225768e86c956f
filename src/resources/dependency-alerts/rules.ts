import type { RepositoryAction } from '#access/action.ts';
import type { Tx } from '#database/connect.ts';
import { record } from '#events/record.ts';
import { inRepository } from '#events/scope.ts';
import { conflict, unprocessable } from '#lib/refusal.ts';
import type { DependencyAlertChange } from './schemas.ts';
import { type AlertRow, updateAlert } from './store.ts';

/** Dismisses an alert, or opens one again that was dismissed. What is fixed can't be changed. */
export async function changeAlert(
  tx: Tx,
  action: RepositoryAction,
  alert: AlertRow,
  { state, dismissed_reason, dismissed_comment }: DependencyAlertChange,
): Promise<void> {
  const { by, now } = action;
  const reason = dismissed_reason ?? null;
  if (state === 'dismissed' && reason === null) throw unprocessable('dismissed_reason is needed where the state is dismissed.');
  if (state === 'open' && (reason !== null || dismissed_comment != null))
    throw unprocessable('An open alert has no dismissed_reason and no dismissed_comment.');
  if (alert.state === 'fixed' || alert.state === 'auto_dismissed')
    throw conflict(`The alert is ${alert.state}, and can't be changed.`);
  if (state === 'open' && alert.state === 'open') return;
  const isDismissed = state === 'dismissed';
  await updateAlert(tx, alert.id, {
    state,
    dismissed_at: isDismissed ? now : null,
    dismissed_by: isDismissed ? (by.account?.id ?? null) : null,
    dismissed_reason: reason,
    dismissed_comment: isDismissed ? (dismissed_comment ?? null) : null,
    updated_at: now,
  });
  if (state === alert.state) return;
  const kind = isDismissed ? 'dependency_alert.dismissed' : 'dependency_alert.reopened';
  await record(tx, { ...inRepository(action), kind, data: { alert: alert.id } });
}
