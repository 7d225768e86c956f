// Notifications about runs of workflows.
import type { JobContext } from '#endpoint/job-context.ts';
import { subscription } from '#events/subscription.ts';
import type { Id } from '#lib/id.ts';
import { notify, putSubject } from '#resources/platform/notifications/index.ts';
import { findRepository } from '#resources/repositories/repositories/index.ts';
import { planOf } from '../planning/kept-plan.ts';
import { loadJobs, loadRuns, type RunSummary } from '../store.ts';

/** The words for conclusions in titles. Clients of the public API parse these. */
const outcomes: Readonly<Partial<Record<NonNullable<RunSummary['conclusion']>, string>>> = {
  success: 'succeeded',
  failure: 'failed',
  cancelled: 'cancelled',
  skipped: 'skipped',
  timed_out: 'timed out',
  startup_failure: 'failed at startup',
};

/** The title of a completed run; undefined if it waits for an approval. */
const titleOf = ({ name, conclusion, head_branch, head_sha }: RunSummary): string | undefined => {
  const outcome = conclusion === null ? undefined : outcomes[conclusion];
  if (outcome === undefined) return undefined;
  const where = head_branch === null ? `commit ${head_sha.slice(0, 7)}` : `${head_branch} branch`;
  return `${name} workflow run ${outcome} for ${where}`;
};

/** Notifies the person who triggered a run that it has completed (document 2, Notification reasons). */
export const notifyOfRuns = subscription<'workflow_run.completed', JobContext>({
  name: 'workflow-runs.notify-of-runs',
  on: ['workflow_run.completed'],
  attempts: 25,
  async run({ id, repository, at, data }, context) {
    const run = (await loadRuns(context.db, [data.run])).get(data.run);
    // A later attempt has a notification of its own.
    if (!run || run.attempt !== data.attempt || run.status !== 'completed' || run.triggering_actor_id === null) return;
    const person = run.triggering_actor_id;
    const title = titleOf(run);
    if (title === undefined) return;
    await notifyOfSuite(context, { run, title, repository }, (subject) => ({
      recipients: 'triggered',
      activities: [{ event: id, subject, actors: [], at, person }],
    }));
  },
});

/** Notifies the reviewers of an environment that a job waits for one of them. */
export const notifyOfReviewRequests = subscription<'deployment_review.requested', JobContext>({
  name: 'workflow-runs.notify-of-review-requests',
  on: ['deployment_review.requested'],
  attempts: 25,
  async run({ id, repository, at, data }, context) {
    const [runs, jobs] = await Promise.all([loadRuns(context.db, [data.run]), loadJobs(context.db, [data.job])]);
    const [run, job] = [runs.get(data.run), jobs.get(data.job)];
    if (!run || job?.status !== 'waiting') return;
    const title = `${run.name} waits for a review to deploy to ${planOf(job).environment?.name ?? 'an environment'}`;
    await notifyOfSuite(context, { run, title, repository }, (subject) => ({
      recipients: 'deployment_reviewers',
      activities: [{ event: id, subject, actors: [], at, job: job.id }],
    }));
  },
});

type NoticeContent = Pick<Parameters<typeof notify>[1], 'recipients' | 'activities'>;
type Notice = { run: RunSummary; title: string; repository: Id<'repositories'> | undefined };

/** The subject is the check suite of the run, as in the public API. */
async function notifyOfSuite(
  context: Parameters<typeof notify>[0] & { db: Parameters<typeof findRepository>[0] },
  { run, title, repository }: Notice,
  noticeOf: (subject: NonNullable<Awaited<ReturnType<typeof putSubject>>>) => NoticeContent,
): Promise<void> {
  const suite = run.check_suite_id;
  const repo = repository === undefined ? undefined : await findRepository(context.db, repository);
  if (!repo || suite === null) return;
  const subject = await context.change((scope) =>
    putSubject(scope.tx, repo.id, { kind: 'check_suite', check_suite_id: suite, title: title.slice(0, 256) }),
  );
  if (subject !== undefined) await notify(context, { repo, ...noticeOf(subject) });
}
