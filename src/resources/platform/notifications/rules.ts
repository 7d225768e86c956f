import type { ActionContext } from '#access/action.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { enqueue } from '#jobs/job.ts';
import type { Id } from '#lib/id.ts';
import { invalid } from '#lib/refusal.ts';
import { insertIssueEvents } from '#resources/collaboration/issues/index.ts';
import { touchInbox } from './inbox-store.ts';
import { markInBackground } from './mark-job.ts';
import { markAllRead, type ThreadRow } from './store.ts';
import { findThreadSubscription, putThreadSubscription, type SubscriptionRow } from './subscription-store.ts';

/** A time of a request. The schema allows leap seconds, which JavaScript's dates don't have. */
export function timeOf(field: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) throw invalid('Notification', field, 'invalid', `${field} is not a time`);
  return time;
}

type Reading = {
  readonly repository?: Id<'repositories'> | undefined;
  readonly until: Date | undefined;
  /** The maximum number of threads that one request marks. */
  readonly most: number;
};

/** Marks an inbox, or its threads of one repository, as read. A job marks a long one. Returns which of the two happened. */
export async function readInbox(
  scope: WriteScope,
  { by, now }: ActionContext,
  { repository, until = now, most }: Reading,
): Promise<'read' | 'later'> {
  const account = by.account.id;
  const marked = await markAllRead(scope.tx, { account, repository, until, now }, { most, anyway: false });
  if (marked === 'all') return 'read';
  await enqueue(scope.tx, markInBackground, { account, repository: repository ?? null, until: until.toISOString() });
  return 'later';
}

/** Subscribes to a thread, or ignores it. Existing subscribers keep their reason. */
export async function changeSubscription(
  scope: WriteScope,
  action: ActionContext,
  thread: ThreadRow,
  { ignored }: { ignored: boolean },
): Promise<SubscriptionRow> {
  const before = await findThreadSubscription(scope.tx, thread);
  const state = ignored ? 'ignored' : 'subscribed';
  if (before?.state === state) return before;
  const reason = ignored ? (before?.reason ?? null) : 'manual';
  const row = await putThreadSubscription(scope.tx, thread, { state, reason, created_at: action.now });
  await recordSubscription(scope, action, thread, ignored ? 'unsubscribed' : 'subscribed');
  return row;
}

/** Mutes a thread until its owner comments on it, or is mentioned in it. */
export async function muteThread(scope: WriteScope, action: ActionContext, thread: ThreadRow): Promise<void> {
  const before = await findThreadSubscription(scope.tx, thread);
  if (before?.state === 'muted') return;
  await putThreadSubscription(scope.tx, thread, { state: 'muted', reason: before?.reason ?? null, created_at: action.now });
  await recordSubscription(scope, action, thread, 'unsubscribed');
}

/** Records a changed subscription. Subscriptions to issues also appear in the issue's timeline. */
async function recordSubscription(
  scope: WriteScope,
  { by, now }: ActionContext,
  { owner_id: owner, repository_id: repository, subject_id: subject, issue_id: issue }: ThreadRow,
  event: 'subscribed' | 'unsubscribed',
): Promise<void> {
  const actor = by.account.id;
  await touchInbox(scope.tx, actor, now);
  await record(scope.tx, { owner, repository, actor, at: now, kind: `thread.${event}`, data: { subject } });
  if (issue !== null) await insertIssueEvents(scope.tx, { repository, issue, actor, app: null, at: now }, [{ event }]);
}

/** The end of a second. Times in replies have whole seconds, so such a time includes its whole second. */
export const endOfSecond = (time: Date | undefined): Date | undefined =>
  time && new Date(Math.floor(time.getTime() / 1_000) * 1_000 + 999);
