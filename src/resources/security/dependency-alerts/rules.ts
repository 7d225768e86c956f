import type { RepositoryAction } from '#access/action.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { inRepository } from '#events/scope.ts';
import { conflict, unprocessable } from '#lib/refusal.ts';
import { getAlertAssignees } from '#resources/repositories/collaborators/index.ts';
import type { DependencyAlertChange } from './schemas.ts';
import { type AlertRow, replaceAssignees, updateAlert } from './store.ts';

/** Dismisses, reopens or assigns an alert. A fixed alert can't be dismissed or reopened. */
export async function changeAlert(
  scope: WriteScope,
  action: RepositoryAction,
  alert: AlertRow,
  wanted: DependencyAlertChange,
): Promise<void> {
  const { state, assignees, dismissed_reason, dismissed_comment } = wanted;
  if (state === undefined && assignees === undefined) throw unprocessable('state or assignees is needed.');
  if (state === undefined && (dismissed_reason != null || dismissed_comment != null))
    throw unprocessable('dismissed_reason and dismissed_comment need the state dismissed.');
  if (state !== undefined) await changeState(scope, action, alert, { ...wanted, state });
  if (assignees !== undefined) await assign(scope, action, alert, assignees);
}

async function changeState(
  scope: WriteScope,
  action: RepositoryAction,
  alert: AlertRow,
  { state, dismissed_reason, dismissed_comment }: DependencyAlertChange & { state: 'dismissed' | 'open' },
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
  await updateAlert(scope.tx, alert.id, {
    state,
    dismissed_at: isDismissed ? now : null,
    dismissed_by: isDismissed ? (by.account?.id ?? null) : null,
    dismissed_reason: reason,
    dismissed_comment: isDismissed ? (dismissed_comment ?? null) : null,
    updated_at: now,
  });
  if (state === alert.state) return;
  const kind = isDismissed ? 'dependency_alert.dismissed' : 'dependency_alert.reopened';
  await record(scope.tx, { ...inRepository(action), kind, data: { alert: alert.id } });
}

async function assign(
  scope: WriteScope,
  { repo, now }: RepositoryAction,
  { id }: AlertRow,
  logins: readonly string[],
): Promise<void> {
  const accounts = await getAlertAssignees(scope, { repository: repo.id, resource: 'DependencyAlert' }, logins);
  await replaceAssignees(scope.tx, id, accounts);
  await updateAlert(scope.tx, id, { updated_at: now });
}
