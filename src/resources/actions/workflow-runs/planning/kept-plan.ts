// Data of runs and jobs that is stored as JSON, without columns of its own.
import type { PlannedJob } from '#workflow-files/plan.ts';
import type { JobRow, RunRow } from '../store.ts';

/** The parts of a job's plan that are stored without columns. */
export type KeptPlan = Pick<
  PlannedJob,
  'calls' | 'combination' | 'total' | 'environment' | 'concurrency' | 'isOptional' | 'timeoutMinutes' | 'failsFast'
>;

export const planOf = ({ plan }: Pick<JobRow, 'plan'>): KeptPlan => plan as KeptPlan;

/**
 * The transition that creates a job that may start, by what it waits for first: its turn in a concurrency group, its environment,
 * or a runner.
 */
export const creationOf = ({ concurrency, environment }: Pick<KeptPlan, 'concurrency' | 'environment'>) =>
  concurrency ? 'make_pending' : environment ? 'make_waiting' : 'make_queued';

/** The transition of a pending job when its turn comes. */
export const turnOf = (job: Pick<JobRow, 'plan'>) => (planOf(job).environment ? 'await_environment' : 'take_turn');

/** Whether one of the calls that lead to a job is in a concurrency group. */
export const waitsForCall = (calls: KeptPlan['calls']): boolean => calls.some(({ waitsForTurn }) => waitsForTurn);

/** The fields that all events of a run have. */
export const inRun = (run: Pick<RunRow, 'repository_id' | 'owner_id' | 'actor_id' | 'triggering_actor_id'>, at: Date) => ({
  owner: run.owner_id,
  repository: run.repository_id,
  actor: run.triggering_actor_id ?? run.actor_id ?? undefined,
  at,
});
