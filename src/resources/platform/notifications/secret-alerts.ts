// Notifications about secret scanning alerts.
import type { JobContext } from '#endpoint/job-context.ts';
import { subscription } from '#events/subscription.ts';
import { unique } from '#lib/collections.ts';
import { findNamedAlert } from '#resources/code/secret-scanning/index.ts';
import { findRepository } from '#resources/repositories/repositories/index.ts';
import { notify } from './notify.ts';
import { putSubject } from './subject-store.ts';

/** Notifies a repository's administrators, who may see its alerts, about new and reopened alerts. */
export const notifyOfSecretAlerts = subscription<'secret_scanning_alert.created' | 'secret_scanning_alert.reopened', JobContext>({
  name: 'notifications.secret-alerts',
  on: ['secret_scanning_alert.created', 'secret_scanning_alert.reopened'],
  attempts: 25,
  async run({ id, repository, at, actor, kind, data: { alert } }, context) {
    const { db, change } = context;
    const [named, repo] = await Promise.all([
      findNamedAlert(db, alert),
      repository === undefined ? undefined : findRepository(db, repository),
    ]);
    // A secret whose push protection was bypassed as a false positive is resolved from the start.
    if (!named || !repo || named.state !== 'open') return;
    const title = `${named.name} found in ${repo.name}`.slice(0, 256);
    const subject = await change((scope) =>
      putSubject(scope.tx, repo.id, { kind: 'secret_alert', secret_alert_id: alert, title }),
    );
    if (subject === undefined) return;
    // Users who pushed a secret are notified too, since they should know first. Users who reopen an alert already know it.
    const actors = kind === 'secret_scanning_alert.created' ? [] : unique([actor]);
    await notify(context, { repo, recipients: 'administrators', activities: [{ event: id, subject, actors, at }] });
  },
});
