// What rows of runs and jobs say that has no column of its own.
import type { PlannedJob } from '#workflow-files/plan.ts';
import type { JobRow, RunRow } from '../store.ts';

/** What a job keeps of its plan, beside what has columns. */
export type KeptPlan = Pick<
  PlannedJob,
  'calls' | 'combination' | 'total' | 'environment' | 'concurrency' | 'isOptional' | 'timeoutMinutes' | 'failsFast'
>;

export const planOf = ({ plan }: Pick<JobRow, 'plan'>): KeptPlan => plan as KeptPlan;

/** What a job that is free to go waits for first: its turn in a concurrency group, its environment, or a runner. */
export const firstStatusOf = ({ concurrency, environment }: Pick<KeptPlan, 'concurrency' | 'environment'>) =>
  concurrency ? 'pending' : environment ? 'waiting' : 'queued';

/** Whether one of the calls that lead to a job is in a concurrency group. */
export const waitsForCall = (calls: KeptPlan['calls']): boolean => calls.some(({ waitsForTurn }) => waitsForTurn);

/** The fields that all events of a run have. */
export const inRun = (run: Pick<RunRow, 'repository_id' | 'owner_id' | 'actor_id' | 'triggering_actor_id'>, at: Date) => ({
  owner: run.owner_id,
  repository: run.repository_id,
  actor: run.triggering_actor_id ?? run.actor_id ?? undefined,
  at,
});
