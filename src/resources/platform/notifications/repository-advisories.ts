// Notifications about vulnerabilities that outsiders report.
import type { JobContext } from '#endpoint/job-context.ts';
import { subscription } from '#events/subscription.ts';
import { unique } from '#lib/collections.ts';
import { findRepository } from '#resources/repositories/repositories/index.ts';
import { notify } from './notify.ts';
import { putSubject } from './subject-store.ts';

/** Notifies the administrators of a repository about a report. */
export const notifyOfReports = subscription<'repository_advisory.reported', JobContext>({
  name: 'notifications.repository-advisories',
  on: ['repository_advisory.reported'],
  attempts: 25,
  async run({ id, repository, actor, at, data: { advisory } }, context) {
    const { db, change } = context;
    const repo = repository === undefined ? undefined : await findRepository(db, repository);
    if (!repo) return;
    const subject = await change((scope) =>
      putSubject(scope.tx, repo.id, { kind: 'repository_advisory', repository_advisory_id: advisory }),
    );
    if (subject === undefined) return;
    await notify(context, {
      repo,
      recipients: 'administrators',
      activities: [{ event: id, subject, actors: unique([actor]), at }],
    });
  },
});
