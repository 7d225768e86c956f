// Notifications about vulnerable dependencies.
import type { JobContext } from '#endpoint/job-context.ts';
import { subscription } from '#events/subscription.ts';
import { findRepository } from '#resources/repositories/repositories/index.ts';
import { notify } from './notify.ts';
import { putSubject } from './subject-store.ts';

/** Notifies the administrators of a repository about new alerts, in one thread for all alerts of the repository. */
export const notifyOfDependencyAlerts = subscription<'dependency_alerts.found', JobContext>({
  name: 'notifications.dependency-alerts',
  on: ['dependency_alerts.found'],
  attempts: 25,
  async run({ id, repository, at }, context) {
    const { db, change } = context;
    const repo = repository === undefined ? undefined : await findRepository(db, repository);
    if (!repo?.vulnerability_alerts) return;
    const title = `${repo.name} has dependencies with known vulnerabilities`.slice(0, 256);
    const subject = await change((scope) => putSubject(scope.tx, repo.id, { kind: 'dependency_alerts', title }));
    if (subject === undefined) return;
    await notify(context, { repo, recipients: 'administrators', activities: [{ event: id, subject, actors: [], at }] });
  },
});
