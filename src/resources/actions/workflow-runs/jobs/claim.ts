// The queue of jobs: how runners take them. It knows nothing of how runners speak.
import type { ChangeScope, WriteScope } from '#endpoint/scope.ts';
import { gather } from '#lib/collections.ts';
import { labelsOf, type RunnerRow } from '#resources/actions/runners/index.ts';
import { followJobs } from '../states/job-states.ts';
import { allowsRun, transitionRun } from '../states/run-states.ts';
import { findRun, type JobRow, type RunRow } from '../store.ts';
import { claimJobs, findFitting, lockNextRun, type Takers } from './claim-store.ts';

/** A job that a runner has just taken. */
export type TakenJob = { readonly job: JobRow; readonly run: RunRow };
export type FoundJob = TakenJob & { readonly labels: readonly string[] };

/** How often runners try again that were in the way of others. */
const tries = 20;

/**
 * What names the runners that may take jobs together: all that the queue looks at. One that takes a single job is looked at by
 * itself.
 */
export const queueKeyOf = (runner: RunnerRow): string => {
  const { repository_id, organization_id, runner_group_id, hosted_runner_id, labels, custom_labels, os } = runner;
  const kind = [repository_id, organization_id, runner_group_id, hosted_runner_id, labels, custom_labels, os];
  return JSON.stringify(runner.is_ephemeral ? runner.id : kind);
};

/**
 * Gives waiting jobs of one run to runners of one `queueKeyOf`, the oldest job that fits first, with the labels by which they
 * were found. What others take at the same time doesn't hold them up, unless there is nothing else.
 * @param runners in the order of their requests
 * @returns the job of each runner that got one; none where no job waits that fits; undefined if no runner is there any more,
 * as it was, or where others were in the way each time
 */
export async function takeJobs(scope: ChangeScope, runners: readonly RunnerRow[]): Promise<Map<RunnerRow, FoundJob> | undefined> {
  const [kind] = runners;
  if (!kind) return new Map();
  const takers: Takers = { ids: gather(runners, 'id'), kind, labels: labelsOf(kind) };
  for (let left = tries; left > 0; left--) {
    // First a run that nobody holds; then they wait for one, since what holds it is short.
    const taken = await scope.change((scope) => take(scope, takers, { waits: left < tries }));
    if (taken.length > 0) {
      const byRunner = new Map(taken.map((one) => [one.job.runner_id, one]));
      return new Map(
        runners.flatMap((runner) => {
          const own = byRunner.get(runner.id);
          // A job that names a group alone is for whatever label its runner has.
          return own ? [[runner, { ...own, labels: own.job.labels.length > 0 ? own.job.labels : takers.labels }]] : [];
        }),
      );
    }
    const { isAsked, isThere } = await findFitting(scope.db, takers);
    if (!isAsked) return undefined;
    if (!isThere) return new Map();
  }
  return undefined;
}

async function take(scope: WriteScope, takers: Takers, { waits }: { waits: boolean }): Promise<TakenJob[]> {
  const { tx, now } = scope;
  const id = await lockNextRun(tx, takers, { waits });
  if (id === undefined) return [];
  // Another statement: it sees what the one before may have waited for.
  const [jobs, before] = await Promise.all([claimJobs(tx, takers, { run: id, now }), findRun(tx, id)]);
  if (!before || jobs.length === 0) return [];
  const run = allowsRun(before, 'begin') ? await transitionRun(scope, before, 'begin') : before;
  await followJobs(scope, run, jobs, 'claim');
  return jobs.map((job) => ({ job, run }));
}
