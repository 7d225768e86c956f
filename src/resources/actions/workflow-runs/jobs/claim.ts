// The queue of jobs, from which runners take them. It is independent of the runner protocol.
import type { ChangeScope, WriteScope } from '#endpoint/scope.ts';
import { gather } from '#lib/collections.ts';
import { labelsOf, type RunnerRow } from '#resources/actions/runners/index.ts';
import { followJobs } from '../states/job-states.ts';
import { allowsRun, transitionRun } from '../states/run-states.ts';
import { findRun, type JobRow, type RunRow } from '../store.ts';
import { claimJobs, findFitting, lockNextRun, type Takers } from './claim-store.ts';

/** A job that a runner has just taken. */
export type TakenJob = { readonly job: JobRow; readonly run: RunRow };
export type FoundJob = TakenJob & {
  readonly labels: readonly string[];
  /** Whether its runner belongs to the repository, so that the repository's administrators control it. */
  readonly isOnRepositoryRunner: boolean;
};

/** How often runners try again after a conflict with others. */
const tries = 20;

/**
 * The key shared by runners that may take jobs together: everything that the queue considers. Single-use runners have keys of
 * their own.
 */
export const queueKeyOf = (runner: RunnerRow): string => {
  const { repository_id, organization_id, runner_group_id, hosted_runner_id, labels, custom_labels, os } = runner;
  const kind = [repository_id, organization_id, runner_group_id, hosted_runner_id, labels, custom_labels, os];
  return JSON.stringify(runner.is_ephemeral ? runner.id : kind);
};

/**
 * Assigns waiting jobs of one run to runners with the same `queueKeyOf`, the oldest matching job first. Each job is returned with
 * the labels that matched. Runs locked by others are skipped, unless no other run matches.
 * @param runners in the order of their requests
 * @returns the job of each runner that got one, which is empty if no matching job waits; undefined if none of the runners exists
 * unchanged, or if there was a conflict each time
 */
export async function takeJobs(scope: ChangeScope, runners: readonly RunnerRow[]): Promise<Map<RunnerRow, FoundJob> | undefined> {
  const [kind] = runners;
  if (!kind) return new Map();
  const takers: Takers = { ids: gather(runners, 'id'), kind, labels: labelsOf(kind) };
  for (let left = tries; left > 0; left--) {
    // The first try skips locked runs. Later tries wait for the lock, which is held only briefly.
    const taken = await scope.change((scope) => take(scope, takers, { waits: left < tries }));
    if (taken.length > 0) {
      const byRunner = new Map(taken.map((one) => [one.job.runner_id, one]));
      return new Map(
        runners.flatMap((runner) => {
          const own = byRunner.get(runner.id);
          // A job that names only a group matches any label of its runner.
          if (!own) return [];
          const labels = own.job.labels.length > 0 ? own.job.labels : takers.labels;
          return [[runner, { ...own, labels, isOnRepositoryRunner: kind.repository_id !== null }]];
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
  // A separate statement sees the changes that the previous one may have waited for.
  const [jobs, before] = await Promise.all([claimJobs(tx, takers, { run: id, now }), findRun(tx, id)]);
  if (!before || jobs.length === 0) return [];
  const run = allowsRun(before, 'begin') ? await transitionRun(scope, before, 'begin') : before;
  await followJobs(scope, run, jobs, 'claim');
  return jobs.map((job) => ({ job, run }));
}
