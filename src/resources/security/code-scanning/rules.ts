import type { RepositoryAction } from '#access/action.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { inRepository } from '#events/scope.ts';
import { badRequest, refuseSwitchedOn } from '#lib/refusal.ts';
import { getAlertAssignees } from '#resources/repositories/collaborators/index.ts';
import type { CodeScanningAlertChange } from './schemas.ts';
import { type AlertRow, replaceAssignees, updateAlert } from './store.ts';

/** Dismisses, reopens or assigns an alert. */
export async function changeAlert(
  scope: WriteScope,
  action: RepositoryAction,
  alert: AlertRow,
  wanted: CodeScanningAlertChange,
): Promise<void> {
  const { state, assignees } = wanted;
  // Dismissals need no approval, so there are no requests for them.
  refuseSwitchedOn('CodeScanningAlert', wanted, ['create_request']);
  if (state === undefined && assignees === undefined) throw badRequest('state or assignees is needed.');
  if (assignees) await assign(scope, action, alert, assignees);
  if (state === 'dismissed') await dismiss(scope, action, alert, wanted);
  else if (wanted.dismissed_reason != null || wanted.dismissed_comment != null)
    throw badRequest('dismissed_reason and dismissed_comment need the state dismissed.');
  else if (state === 'open') await reopen(scope, action, alert);
}

async function dismiss(
  scope: WriteScope,
  action: RepositoryAction,
  alert: AlertRow,
  { dismissed_reason, dismissed_comment }: CodeScanningAlertChange,
): Promise<void> {
  const { by, now } = action;
  if (dismissed_reason == null) throw badRequest('dismissed_reason is needed where the state is dismissed.');
  if (alert.dismissed_at === null && !alert.is_open) throw badRequest('The alert is fixed, and can’t be dismissed.');
  await updateAlert(scope.tx, alert.id, {
    dismissed_at: now,
    dismissed_by: by.account?.id ?? null,
    dismissed_reason,
    dismissed_comment: dismissed_comment ?? null,
    updated_at: now,
  });
  if (alert.dismissed_at === null) await recordStateChange(scope, action, alert, 'code_scanning_alert.closed_by_user');
}

async function reopen(scope: WriteScope, action: RepositoryAction, alert: AlertRow): Promise<void> {
  if (alert.dismissed_at === null) {
    if (!alert.is_open) throw badRequest('The alert is fixed, and can’t be opened again.');
    return;
  }
  const dismissal = { dismissed_at: null, dismissed_by: null, dismissed_reason: null, dismissed_comment: null };
  await updateAlert(scope.tx, alert.id, { ...dismissal, updated_at: action.now });
  await recordStateChange(scope, action, alert, 'code_scanning_alert.reopened_by_user');
}

const recordStateChange = (
  scope: WriteScope,
  action: RepositoryAction,
  { id, ref, commit_sha }: AlertRow,
  kind: 'code_scanning_alert.closed_by_user' | 'code_scanning_alert.reopened_by_user',
): Promise<void> => record(scope.tx, { ...inRepository(action), kind, data: { alert: id, ref, commit: commit_sha } });

async function assign(
  scope: WriteScope,
  { repo, now }: RepositoryAction,
  alert: AlertRow,
  logins: readonly string[],
): Promise<void> {
  const accounts = await getAlertAssignees(scope, { repository: repo.id, resource: 'CodeScanningAlert' }, logins);
  await replaceAssignees(scope.tx, alert.id, accounts);
  await updateAlert(scope.tx, alert.id, { updated_at: now });
}
