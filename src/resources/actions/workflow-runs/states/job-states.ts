// State changes of jobs. The caller holds the lock of the run's row.

import { type RawBuilder, sql } from 'kysely';
import { changedAfter } from '#database/change-signals.ts';
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

/** Whether a job is in a state from which a transition is allowed. */
export const allowsJob = (job: JobRow, name: JobTransition): boolean => allows(jobTransitions[name], job);

/**
 * Changes the state of a job, with all consequences.
 * @param details the new state, if the transition has several; and other columns
 * @throws IllegalTransition if the transition isn't allowed from the job's state
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

/** The columns that `claim` sets, for the statement that chooses the jobs. The caller then calls `followJobs`. */
export const claimAssignments = (now: Date): RawBuilder<unknown> => {
  const { sets, to } = jobTransitions.claim;
  const columns = Object.entries({ ...stateColumns<JobState>(to[0]), ...sets(now) });
  return sql.join(columns.map(([column, value]) => sql`${sql.ref(column)} = ${value}`));
};

/** Whether `claim` is allowed from the state of the row `workflow_jobs j`. */
export const isClaimable = sql<boolean>`j.status = ${sql.lit(jobTransitions.claim.from[0])}`;

/** Applies the consequences of a transition of jobs of one run. */
export async function followJobs(scope: WriteScope, run: RunRow, jobs: readonly JobRow[], name: JobTransition): Promise<void> {
  for (const { id } of jobs) changedAfter(scope.tx, `job:${id}`);
  changedAfter(scope.tx, `run:${run.id}`);
  if (jobs.length > 0) for (const effect of jobTransitions[name].follows) await effects[effect](scope, run, jobs);
}

type Effect = (scope: WriteScope, run: RunRow, jobs: readonly JobRow[]) => Promise<void>;

const event =
  (kind: Extract<JobEffect, `workflow_job.${string}`>): Effect =>
  ({ tx, now }, run, jobs) =>
    recordEach(tx, jobs, (job) => ({ ...inRun(run, now), kind, data: { run: run.id, job: job.id } }));

const effects: Readonly<Record<JobEffect, Effect>> = {
  async 'new check'() {
    // `createJobs` has created the check.
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

/** A new job, and the transition that creates it. */
export type NewJob = Omit<Parameters<typeof insertJobs>[1][number], 'status' | 'conclusion'> & {
  readonly transition: Creation;
  /** Its result, if the transition has several. */
  readonly ended?: JobState | undefined;
};

/**
 * Creates jobs of a run, each with a check of the same id, so that clients may use one for the other as in the public API. Jobs
 * that are carried into an attempt keep their checks and times.
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

/** The consequences of creating jobs are applied in this order. */
const creations = ['make_ended', 'make_queued', 'make_waiting', 'make_pending', 'make_held', 'carry'] as const;
