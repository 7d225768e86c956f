// How jobs go from one state to another. The caller holds the lock of the run's row.

import { type RawBuilder, sql } from 'kysely';
import type { WriteScope } from '#endpoint/scope.ts';
import { recordEach } from '#events/record.ts';
import { asId } from '#lib/id.ts';
import { notifyQueued } from '#resources/actions/runners/index.ts';
import { reserveRunIds } from '#resources/code/checks/index.ts';
import { enterGroup, leaveGroup } from '../concurrency/groups.ts';
import { inRun, planOf } from '../planning/kept-plan.ts';
import type { JobChange, JobRow, RunRow } from '../store.ts';
import { beginChecks, createChecks, endCheck, queueCheck } from './checks.ts';
import { endDeployment, noteDeployment } from './deployments.ts';
import { allows, IllegalTransition, stateColumns, targetOf } from './state.ts';
import { insertJobs, moveJob } from './store.ts';
import { type JobEffect, type JobState, type JobTransition, jobTransitions } from './transitions.ts';

type Details<Name extends JobTransition> = JobChange & { readonly to?: (typeof jobTransitions)[Name]['to'][number] };

/** Whether a job is in a state that a transition leads from. */
export const allowsJob = (job: JobRow, name: JobTransition): boolean => allows(jobTransitions[name], job);

/**
 * Brings a job into another state, with all that follows.
 * @param details where it leads to, if the transition leaves a choice; and columns beside the state
 * @throws IllegalTransition where the job isn't in a state that the transition leads from
 */
export async function transitionJob<Name extends JobTransition>(
  scope: WriteScope,
  run: RunRow,
  job: JobRow,
  name: Name,
  { to, ...change }: Details<Name> = {},
): Promise<JobRow> {
  const { from, sets, to: targets } = jobTransitions[name];
  const columns = { ...stateColumns(targetOf<JobState>(name, targets, to)), ...sets(scope.now), ...change };
  const moved = await moveJob(scope.tx, job.id, from, columns);
  if (!moved) throw new IllegalTransition(name, `from where job ${job.id} is`);
  await followJobs(scope, run, [moved], name);
  return moved;
}

/** What `claim` writes, for the statement that chooses the jobs. The caller calls `followJobs` for those. */
export const claimAssignments = (now: Date): RawBuilder<unknown> => {
  const { sets, to } = jobTransitions.claim;
  const columns = Object.entries({ ...stateColumns<JobState>(to[0]), ...sets(now) });
  return sql.join(columns.map(([column, value]) => sql`${sql.ref(column)} = ${value}`));
};

/** Whether `claim` leads from the state of the row `workflow_jobs j`. */
export const isClaimable = sql<boolean>`j.status = ${sql.lit(jobTransitions.claim.from[0])}`;

/** Does what follows a transition of jobs of one run. */
export async function followJobs(scope: WriteScope, run: RunRow, jobs: readonly JobRow[], name: JobTransition): Promise<void> {
  if (jobs.length > 0) for (const effect of jobTransitions[name].follows) await effects[effect](scope, run, jobs);
}

type Effect = (scope: WriteScope, run: RunRow, jobs: readonly JobRow[]) => Promise<void>;

const event =
  (kind: Extract<JobEffect, `workflow_job.${string}`>): Effect =>
  ({ tx, now }, run, jobs) =>
    recordEach(tx, jobs, (job) => ({ ...inRun(run, now), kind, data: { run: run.id, job: job.id } }));

const effects: Readonly<Record<JobEffect, Effect>> = {
  async 'new check'() {
    // `createJobs` has made it.
  },
  async check(scope, run, jobs) {
    const inProgress = jobs.filter(({ status }) => status === 'in_progress');
    if (inProgress.length > 0) await beginChecks(scope, run, inProgress);
    for (const job of jobs) {
      if (job.status === 'queued') await queueCheck(scope, run, job);
      else if (job.status === 'completed') await endCheck(scope, run, job);
    }
  },
  async deployment(scope, run, jobs) {
    for (const job of jobs) {
      if (job.status === 'queued')
        await noteDeployment(scope, run, job, { state: 'queued', description: 'Waiting for a runner' });
      else if (job.status === 'in_progress')
        await noteDeployment(scope, run, job, { state: 'in_progress', description: 'The job runs' });
      else await endDeployment(scope, run, job);
    }
  },
  'workflow_job.queued': event('workflow_job.queued'),
  'workflow_job.in_progress': event('workflow_job.in_progress'),
  'workflow_job.completed': event('workflow_job.completed'),
  async 'enter group'({ tx }, run, jobs) {
    for (const job of jobs) {
      const { concurrency } = planOf(job);
      if (concurrency) await enterGroup(tx, run.repository_id, { run: run.id, job: job.id }, concurrency);
    }
  },
  async 'leave group'({ tx }, run, jobs) {
    for (const job of jobs) if (planOf(job).concurrency) await leaveGroup(tx, { run: run.id, job: job.id });
  },
  async 'wake runners'({ tx }) {
    notifyQueued(tx);
  },
};

type Creation = Extract<JobTransition, `make_${string}` | 'carry'>;

/** A job to be made, and the transition that makes it. */
export type NewJob = Omit<Parameters<typeof insertJobs>[1][number], 'status' | 'conclusion'> & {
  readonly transition: Creation;
  /** How it has ended, where the transition leaves a choice. */
  readonly ended?: JobState | undefined;
};

/**
 * Makes jobs of a run, each with a check of the same id, so that clients may take one for the other as in the public API. Jobs
 * that are carried into an attempt keep the checks and the times that they have.
 */
export async function createJobs(scope: WriteScope, run: RunRow, wanted: readonly NewJob[]): Promise<JobRow[]> {
  if (wanted.length === 0) return [];
  const ids = await reserveRunIds(scope.tx, wanted.length);
  const jobs = wanted.map(({ transition, ended, ...row }, at) => {
    const { sets, to } = jobTransitions[transition];
    const state = stateColumns(targetOf<JobState>(transition, to, ended));
    const { problem = null, problem_line = null } = row;
    const id = asId<'workflow_jobs'>(ids[at] ?? 0);
    return { transition, row: { ...row, ...state, ...sets(scope.now), id, problem, problem_line } };
  });
  const isNew = ({ transition }: { transition: Creation }) =>
    jobTransitions[transition].follows.some((one) => one === 'new check');
  const own = jobs.filter(isNew).map(({ row }) => row);
  const checks = await createChecks(scope, run, own);
  const made = await insertJobs(
    scope.tx,
    jobs.map(({ row }) => ({ ...row, check_run_id: checks.get(row.id) ?? row.check_run_id ?? null })),
  );
  const byId = new Map(jobs.map(({ transition, row }) => [row.id, transition]));
  for (const name of creations) {
    const those = made.filter(({ id }) => byId.get(id) === name);
    await followJobs(scope, run, those, name);
  }
  return made;
}

/** In this order, what follows the creation of jobs is done. */
const creations = ['make_ended', 'make_queued', 'make_waiting', 'make_pending', 'make_held', 'carry'] as const;
