// The states of jobs and runs, and all transitions between them. Only this folder writes the columns `status` and `conclusion`.
import type { JobChange, JobRow, RunChange, RunRow } from '../store.ts';

/** The state of a job: its status while it is open, its conclusion once it is completed. */
export type JobState = Exclude<JobRow['status'], 'completed'> | NonNullable<JobRow['conclusion']>;
/** The public API's status `requested` is only a filter: no run is ever in it. */
export type RunState = Exclude<RunRow['status'], 'completed' | 'requested'> | NonNullable<RunRow['conclusion']>;

/** Who or what causes a transition. */
type Cause =
  | 'an approval'
  | 'a cancellation'
  | 'a deadline'
  | 'an event'
  | 'a new attempt'
  | 'a person'
  | 'a runner'
  | 'the concurrency group'
  | 'the environment'
  | 'the loss of the runner'
  | 'the plan'
  | 'the server'
  | 'the settings';

/** The consequences of a job's transition. `new check` comes before the row, since both have the same id. */
export type JobEffect =
  | 'new check'
  | 'check'
  | 'deployment'
  | 'workflow_job.queued'
  | 'workflow_job.in_progress'
  | 'workflow_job.completed'
  | 'enter group'
  | 'leave group'
  | 'wake runners';

/** The consequences of a run's transition. */
export type RunEffect =
  | 'failed check'
  | 'workflow_run.requested'
  | 'workflow_run.in_progress'
  | 'workflow_run.completed'
  | 'leave group'
  | 'wake runners';

type Transition<State, Change, Effect> = {
  readonly by: readonly Cause[];
  /** The states from which it is allowed; `new` if it creates the row. */
  readonly from: readonly (State | 'new')[];
  /** The possible new states. If there are several, the caller chooses. */
  readonly to: readonly State[];
  /** The times that it sets, and the columns that it clears. */
  readonly sets: (now: Date) => Change;
  /** The consequences in the same transaction, in this order. */
  readonly follows: readonly Effect[];
};

const unbegun = ['pending', 'waiting', 'queued'] as const satisfies JobState[];
const jobEnds = ['success', 'failure', 'neutral', 'cancelled', 'skipped', 'timed_out', 'action_required'] as const;
const queued = (now: Date) => ({ queued_at: now });
const ended = (now: Date) => ({ completed_at: now, cancelled_at: null });
const nothing = () => ({});
const jobEnd = ['check', 'deployment', 'workflow_job.completed', 'leave group'] as const;

/** Each transition of a job. */
export const jobTransitions = {
  /** The plan decides immediately: a condition is false, or an expression fails. */
  make_ended: {
    by: ['the plan'],
    from: ['new'],
    to: ['skipped', 'cancelled', 'failure'],
    sets: (now) => ({ started_at: now, completed_at: now }),
    follows: ['new check', 'workflow_job.completed'],
  },
  make_queued: {
    by: ['the plan', 'a new attempt'],
    from: ['new'],
    to: ['queued'],
    sets: queued,
    follows: ['new check', 'workflow_job.queued', 'wake runners'],
  },
  /** It waits for its environment. */
  make_waiting: {
    by: ['the plan', 'a new attempt'],
    from: ['new'],
    to: ['waiting'],
    sets: nothing,
    follows: ['new check'],
  },
  /** It waits for its turn in its concurrency group. */
  make_pending: {
    by: ['the plan', 'a new attempt'],
    from: ['new'],
    to: ['pending'],
    sets: nothing,
    follows: ['new check', 'enter group'],
  },
  /** It waits for the turn of a call that leads to it, and after that for its own group. */
  make_held: { by: ['a new attempt'], from: ['new'], to: ['pending'], sets: nothing, follows: ['new check'] },
  /** It isn't run again: the attempt carries it over with its result. */
  carry: { by: ['a new attempt'], from: ['new'], to: jobEnds, sets: nothing, follows: [] },
  await_environment: { by: ['the concurrency group'], from: ['pending'], to: ['waiting'], sets: nothing, follows: [] },
  take_turn: {
    by: ['the concurrency group'],
    from: ['pending'],
    to: ['queued'],
    sets: queued,
    follows: ['workflow_job.queued', 'deployment', 'wake runners'],
  },
  enter_environment: {
    by: ['the environment', 'an approval'],
    from: ['waiting'],
    to: ['queued'],
    sets: queued,
    follows: ['workflow_job.queued', 'deployment', 'wake runners'],
  },
  claim: {
    by: ['a runner'],
    from: ['queued'],
    to: ['in_progress'],
    sets: (now) => ({ started_at: now, heard_at: null }),
    follows: ['check', 'deployment', 'workflow_job.in_progress'],
  },
  /** It never reached its runner. */
  offer_again: {
    by: ['the loss of the runner', 'a deadline'],
    from: ['in_progress'],
    to: ['queued'],
    sets: (now) => ({
      queued_at: now,
      started_at: null,
      runner_id: null,
      runner_name: null,
      runner_os: null,
      runner_group_id: null,
      runner_group_name: null,
      hosted_runner_id: null,
    }),
    follows: ['check', 'deployment', 'workflow_job.queued', 'wake runners'],
  },
  /** Its runner learns of it with its next report. The time limit of a job also causes it. */
  request_cancel: {
    by: ['a cancellation', 'a deadline'],
    from: ['in_progress'],
    to: ['in_progress'],
    sets: (now) => ({ cancelled_at: now }),
    follows: [],
  },
  /** The runner reports the result; or a cancelled job has nothing to clean up. */
  finish: {
    by: ['a runner'],
    from: ['in_progress'],
    to: ['success', 'failure', 'cancelled', 'skipped'],
    sets: ended,
    follows: jobEnd,
  },
  /** Its runner is silent or gone, or doesn't end the job after a cancellation. */
  lose: {
    by: ['the loss of the runner', 'a deadline'],
    from: ['in_progress'],
    to: ['failure', 'cancelled'],
    sets: ended,
    follows: jobEnd,
  },
  /** No task can be created for the runner that took it. */
  abandon: { by: ['the server'], from: ['in_progress'], to: ['failure'], sets: ended, follows: jobEnd },
  cancel: { by: ['a cancellation'], from: unbegun, to: ['cancelled'], sets: ended, follows: jobEnd },
  force_cancel: { by: ['a person'], from: [...unbegun, 'in_progress'], to: ['cancelled'], sets: ended, follows: jobEnd },
  /** Its environment doesn't accept the ref of the run, or was deleted. */
  refuse: { by: ['the environment'], from: ['waiting'], to: ['failure'], sets: ended, follows: jobEnd },
  reject: { by: ['an approval'], from: ['waiting'], to: ['failure'], sets: ended, follows: jobEnd },
  /** Nobody approved its deployment in time. */
  expire: { by: ['a deadline'], from: ['waiting'], to: ['failure'], sets: ended, follows: jobEnd },
} as const satisfies Record<string, Transition<JobState, JobChange, JobEffect>>;

/** The states of an open run. */
const going = ['queued', 'in_progress', 'waiting'] as const satisfies RunState[];
const updated = (now: Date) => ({ updated_at: now });
const runEnd = ['workflow_run.completed', 'leave group'] as const;

/** Each transition of a run. */
export const runTransitions = {
  request: {
    by: ['an event', 'a person'],
    from: ['new'],
    to: ['queued'],
    sets: (now) => ({ created_at: now, started_at: now, updated_at: now }),
    follows: ['workflow_run.requested'],
  },
  rerun: {
    by: ['a person'],
    from: ['success', 'failure', 'neutral', 'cancelled', 'skipped', 'stale', 'timed_out'],
    to: ['queued'],
    sets: (now) => ({ started_at: now, updated_at: now, cancelled_at: null, logs_expired_at: null }),
    follows: ['workflow_run.requested'],
  },
  /** The run of a fork waits for approval by somebody with write access. */
  ask_for_approval: { by: ['the settings'], from: ['queued'], to: ['action_required'], sets: updated, follows: runEnd },
  approve: {
    by: ['an approval'],
    from: ['action_required'],
    to: ['queued'],
    sets: (now) => ({ started_at: now, updated_at: now }),
    follows: [],
  },
  /** It waits for its turn in its concurrency group. */
  hold: { by: ['the concurrency group'], from: ['queued'], to: ['pending'], sets: updated, follows: [] },
  /** An attempt may start with queued jobs. */
  take_turn: {
    by: ['the concurrency group'],
    from: ['pending'],
    to: ['queued'],
    sets: updated,
    follows: ['wake runners'],
  },
  /** The first of its jobs starts. */
  begin: { by: ['a runner'], from: ['queued'], to: ['in_progress'], sets: updated, follows: ['workflow_run.in_progress'] },
  /** All its remaining jobs wait for their environments. */
  wait: { by: ['the plan'], from: ['queued', 'in_progress'], to: ['waiting'], sets: updated, follows: [] },
  go_on: { by: ['the plan'], from: ['waiting'], to: ['queued', 'in_progress'], sets: updated, follows: [] },
  /** Running jobs end when their runners learn of it, and jobs with `always()` still run. */
  request_cancel: {
    by: ['a cancellation'],
    from: going,
    to: ['queued', 'in_progress'],
    sets: (now) => ({ cancelled_at: now, updated_at: now }),
    follows: [],
  },
  /** It hasn't started, so it ends immediately. */
  cancel: { by: ['a cancellation'], from: ['pending'], to: ['cancelled'], sets: updated, follows: runEnd },
  force_cancel: {
    by: ['a person'],
    from: [...going, 'pending'],
    to: ['cancelled'],
    sets: (now) => ({ cancelled_at: now, updated_at: now }),
    follows: runEnd,
  },
  /** Its file is invalid, or its budget is spent. */
  fail_to_start: {
    by: ['the plan', 'the settings'],
    from: going,
    to: ['startup_failure'],
    sets: updated,
    follows: ['workflow_run.completed', 'failed check', 'leave group'],
  },
  /** All its jobs are over, and no others follow. */
  finish: {
    by: ['the plan'],
    from: going,
    to: ['success', 'failure', 'cancelled', 'skipped'],
    sets: updated,
    follows: runEnd,
  },
} as const satisfies Record<string, Transition<RunState, RunChange, RunEffect>>;

export type JobTransition = keyof typeof jobTransitions;
export type RunTransition = keyof typeof runTransitions;
