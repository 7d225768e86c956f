// Notifications about check suites.
import type { JobContext } from '#endpoint/job-context.ts';
import { subscription } from '#events/subscription.ts';
import { unique } from '#lib/collections.ts';
import { type CheckConclusion, type EndedSuite, findEndedSuite } from '#resources/code/checks/index.ts';
import { findRepository } from '#resources/repositories/repositories/index.ts';
import { notify } from './notify.ts';
import { putSubject } from './subject-store.ts';

/** The conclusions that cause notifications, with their words in titles: as in the public API, those of failed suites. */
const verbs: Partial<Record<CheckConclusion, string>> = { failure: 'failed', timed_out: 'timed out' };

/** Notifies the person whose push or pull request a failed suite checked. Runs of workflows have notifications of their own. */
export const notifyOfCheckSuites = subscription<'check_suite.completed', JobContext>({
  name: 'notifications.check-suites',
  on: ['check_suite.completed'],
  attempts: 25,
  async run({ id, repository, actor, at, data: { suite } }, context) {
    const { db, change } = context;
    const ended = await findEndedSuite(db, suite);
    const title = ended && !ended.is_of_run ? titleOf(ended) : undefined;
    const repo = title === undefined || repository === undefined ? undefined : await findRepository(db, repository);
    if (title === undefined || !repo) return;
    const subject = await change((scope) => putSubject(scope.tx, repo.id, { kind: 'check_suite', check_suite_id: suite, title }));
    if (subject === undefined) return;
    await notify(context, {
      repo,
      recipients: 'checked',
      activities: [{ event: id, subject, suite, actors: unique([actor]), at }],
    });
  },
});

/** The title, in the form that clients of the public API parse; undefined if the suite causes no notification. */
function titleOf({ app, branch, head_sha, conclusion }: EndedSuite): string | undefined {
  const outcome = conclusion === null ? undefined : verbs[conclusion];
  if (outcome === undefined) return undefined;
  return `${app} workflow run ${outcome} for ${branch === null ? `commit ${head_sha.slice(0, 7)}` : `${branch} branch`}`;
}
