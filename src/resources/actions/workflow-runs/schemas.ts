import { type Static, Type } from 'typebox';
import { maxId } from '#lib/id.ts';
import { fixedValue } from '#lib/limits.ts';
import { Nullable, OneOf, Refused, Timestamp, withDefault } from '#lib/shape.ts';
import { EnvironmentReviewer } from '#resources/actions/environments/index.ts';
import { annotationLevels, PullRequestMinimal, SimpleCommit } from '#resources/code/checks/index.ts';
import { User } from '#resources/identity/accounts/index.ts';
import { MinimalRepository, SimpleRepository } from '#resources/repositories/repositories/index.ts';
import { workflowFileLimits } from '#workflow-files/limits.ts';
import { runLimits } from './limits.ts';

export const runStatuses = ['requested', 'waiting', 'pending', 'queued', 'in_progress', 'completed'] as const;
export const runConclusions = [
  'action_required',
  'cancelled',
  'failure',
  'neutral',
  'skipped',
  'stale',
  'startup_failure',
  'success',
  'timed_out',
] as const;
export const jobStatuses = ['queued', 'in_progress', 'completed', 'waiting', 'requested', 'pending'] as const;
export const jobConclusions = ['success', 'failure', 'neutral', 'cancelled', 'skipped', 'timed_out', 'action_required'] as const;
export const stepStatuses = ['queued', 'in_progress', 'completed'] as const;

const run = {
  id: Type.Integer(),
  name: Nullable(Type.String()),
  node_id: Type.String(),
  check_suite_id: Type.Optional(Type.Integer()),
  check_suite_node_id: Type.Optional(Type.String()),
  head_branch: Nullable(Type.String()),
  head_sha: Type.String(),
  path: Type.String(),
  run_number: Type.Integer(),
  run_attempt: Type.Integer(),
  referenced_workflows: Type.Array(Type.Object({ path: Type.String(), sha: Type.String(), ref: Type.Optional(Type.String()) })),
  event: Type.String(),
  display_title: Type.String(),
  status: Nullable(OneOf(runStatuses)),
  conclusion: Nullable(OneOf(runConclusions)),
  workflow_id: Type.Integer(),
  url: Type.String(),
  html_url: Type.String(),
  pull_requests: Type.Array(PullRequestMinimal),
  created_at: Timestamp,
  updated_at: Timestamp,
  actor: Nullable(User),
  triggering_actor: Nullable(User),
  run_started_at: Timestamp,
  jobs_url: Type.String(),
  logs_url: Type.String(),
  check_suite_url: Type.String(),
  artifacts_url: Type.String(),
  cancel_url: Type.String(),
  rerun_url: Type.String(),
  previous_attempt_url: Nullable(Type.String()),
  workflow_url: Type.String(),
  head_commit: SimpleCommit,
};

export const WorkflowRun = Type.Object({
  ...run,
  repository: MinimalRepository,
  head_repository: Nullable(MinimalRepository),
});
export type WorkflowRun = Static<typeof WorkflowRun>;

/** A run in payloads, with fewer fields of its repositories. */
export const WorkflowRunInPayload = Type.Object({
  ...run,
  repository: SimpleRepository,
  head_repository: Nullable(SimpleRepository),
});
export type WorkflowRunInPayload = Static<typeof WorkflowRunInPayload>;

export const WorkflowStep = Type.Object({
  status: OneOf(stepStatuses),
  conclusion: Nullable(Type.String()),
  name: Type.String(),
  number: Type.Integer(),
  started_at: Nullable(Timestamp),
  completed_at: Nullable(Timestamp),
});

export const WorkflowJob = Type.Object({
  id: Type.Integer(),
  run_id: Type.Integer(),
  run_url: Type.String(),
  run_attempt: Type.Integer(),
  node_id: Type.String(),
  head_sha: Type.String(),
  url: Type.String(),
  html_url: Nullable(Type.String()),
  status: OneOf(jobStatuses),
  conclusion: Nullable(OneOf(jobConclusions)),
  created_at: Timestamp,
  started_at: Timestamp,
  completed_at: Nullable(Timestamp),
  name: Type.String(),
  steps: Type.Array(WorkflowStep),
  check_run_url: Type.String(),
  labels: Type.Array(Type.String()),
  runner_id: Nullable(Type.Integer()),
  runner_name: Nullable(Type.String()),
  runner_group_id: Nullable(Type.Integer()),
  runner_group_name: Nullable(Type.String()),
  workflow_name: Nullable(Type.String()),
  head_branch: Nullable(Type.String()),
});
export type WorkflowJob = Static<typeof WorkflowJob>;

/** The operating systems of runners, by the public API's names. */
const Systems = <const S extends Parameters<typeof Type.Object>[0]>(of: S) =>
  Type.Object({
    UBUNTU: Type.Optional(Type.Object(of)),
    MACOS: Type.Optional(Type.Object(of)),
    WINDOWS: Type.Optional(Type.Object(of)),
  });

export const WorkflowRunUsage = Type.Object({
  billable: Systems({
    total_ms: Type.Integer(),
    jobs: Type.Integer(),
    job_runs: Type.Array(Type.Object({ job_id: Type.Integer(), duration_ms: Type.Integer() })),
  }),
  run_duration_ms: Type.Optional(Type.Integer()),
});
export type WorkflowRunUsage = Static<typeof WorkflowRunUsage>;

export const WorkflowUsage = Type.Object({ billable: Systems({ total_ms: Type.Integer() }) });
export type WorkflowUsage = Static<typeof WorkflowUsage>;

const name = Type.String({ maxLength: 255 });
/** One parameter filters by statuses and conclusions (the public API's). */
const states = [
  ...runStatuses,
  'action_required',
  'cancelled',
  'failure',
  'neutral',
  'skipped',
  'stale',
  'startup_failure',
  'success',
  'timed_out',
] as const;

export const PullRequestsLeftOut = Type.Object({ exclude_pull_requests: withDefault(Type.Boolean(), false) });

/** The filter for runs. */
export const WorkflowRunFilter = Type.Object({
  actor: Type.Optional(name),
  branch: Type.Optional(Type.String({ maxLength: 1_024 })),
  event: Type.Optional(name),
  status: Type.Optional(OneOf(states)),
  created: Type.Optional(name),
  check_suite_id: Type.Optional(Type.Integer({ minimum: 1, maximum: maxId })),
  head_sha: Type.Optional(Type.String({ maxLength: 64 })),
  ...PullRequestsLeftOut.properties,
});
export type WorkflowRunFilter = Static<typeof WorkflowRunFilter>;

/** The jobs of a run's latest attempt, or of all attempts. */
export const JobFilter = Type.Object({ filter: withDefault(OneOf(['latest', 'all']), 'latest') });

export const NewDispatch = Type.Object(
  {
    ref: Type.String({ minLength: 1, maxLength: 1_024 }),
    inputs: withDefault(Type.Record(Type.String(), Type.Unknown(), { maxProperties: fixedValue(runLimits.inputs) }), {}),
    return_run_details: withDefault(Type.Boolean(), false),
  },
  { title: 'WorkflowDispatch' },
);
export type NewDispatch = Static<typeof NewDispatch>;

/** The event payload of a dispatch, which its run gets. */
export const DispatchPayload = Type.Object({
  inputs: Type.Record(Type.String(), Type.String()),
  ref: Type.String(),
  repository: MinimalRepository,
  sender: User,
  workflow: Type.String(),
});

export const DispatchedRun = Type.Object({ workflow_run_id: Type.Integer(), run_url: Type.String(), html_url: Type.String() });

const group = { group_name: Type.String(), group_url: Type.String() };

export const ConcurrencyGroup = Type.Object({ ...group, last_acquired_at: Nullable(Timestamp) });
export type ConcurrencyGroup = Static<typeof ConcurrencyGroup>;

const memberStatuses = ['in_progress', 'pending'] as const;
const member = {
  run_id: Type.Integer(),
  run_name: Type.String(),
  run_url: Type.String(),
  run_html_url: Type.String(),
  /** The fields of a member that is a job. A member that is a call of a workflow has only the name. */
  job_id: Type.Optional(Type.Integer()),
  job_name: Type.Optional(Type.String()),
  job_url: Type.Optional(Type.String()),
  job_html_url: Type.Optional(Type.String()),
  status: OneOf(memberStatuses),
};

export const ConcurrencyGroupMember = Type.Object(member);
export type ConcurrencyGroupMember = Static<typeof ConcurrencyGroupMember>;

/** A group with its member in progress, and its waiting members. */
export const ConcurrencyGroupWithMembers = Type.Object({
  ...group,
  total_count: Type.Integer(),
  group_members: Type.Array(ConcurrencyGroupMember),
});
export type ConcurrencyGroupWithMembers = Static<typeof ConcurrencyGroupWithMembers>;

/** A group with the positions of a run and its jobs: the number of members before each. */
export const ConcurrencyGroupOfRun = Type.Object({
  ...group,
  group_members: Type.Array(Type.Object({ ...member, position: Type.Integer(), position_url: Type.String() })),
});
export type ConcurrencyGroupOfRun = Static<typeof ConcurrencyGroupOfRun>;

const optionalId = Type.Optional(Type.Integer({ minimum: 1, maximum: maxId }));

/** The members before a run or a job. */
export const ConcurrencyGroupFilter = Type.Object({ ahead_of_run: optionalId, ahead_of_job: optionalId });
export type ConcurrencyGroupFilter = Static<typeof ConcurrencyGroupFilter>;

const PendingEnvironment = Type.Object({
  id: Type.Integer(),
  node_id: Type.String(),
  name: Type.String(),
  url: Type.String(),
  html_url: Type.String(),
});

/** An environment that jobs of a run wait for. */
export const PendingDeployment = Type.Object({
  environment: PendingEnvironment,
  wait_timer: Type.Integer(),
  wait_timer_started_at: Nullable(Timestamp),
  current_user_can_approve: Type.Boolean(),
  reviewers: Type.Array(EnvironmentReviewer),
});
export type PendingDeployment = Static<typeof PendingDeployment>;

const reviewStates = ['approved', 'rejected'] as const;
const comment = Type.String({ maxLength: 4_096 });

/** A review of a run's deployments. */
export const EnvironmentApproval = Type.Object({
  environments: Type.Array(Type.Object({ ...PendingEnvironment.properties, created_at: Timestamp, updated_at: Timestamp })),
  state: OneOf(reviewStates),
  user: User,
  comment: Type.String(),
});
export type EnvironmentApproval = Static<typeof EnvironmentApproval>;

export const NewDeploymentReview = Type.Object(
  {
    environment_ids: Type.Array(Type.Integer({ minimum: 1, maximum: maxId }), {
      minItems: 1,
      maxItems: fixedValue(workflowFileLimits.runJobs),
    }),
    state: OneOf(reviewStates),
    comment,
  },
  { title: 'WorkflowRun' },
);
export type NewDeploymentReview = Static<typeof NewDeploymentReview>;

/** Without a state, an app reports its progress. */
export const NewCustomDeploymentReview = Type.Object(
  {
    environment_name: Type.String({ minLength: 1, maxLength: 255 }),
    state: Type.Optional(OneOf(reviewStates)),
    comment: withDefault(comment, ''),
  },
  { title: 'WorkflowRun' },
);
export type NewCustomDeploymentReview = Static<typeof NewCustomDeploymentReview>;

const rerun = { enable_debug_logging: withDefault(Type.Boolean(), false) };
export const Rerun = Type.Object(rerun, { title: 'WorkflowRun' });
export const JobRerun = Type.Object({ ...rerun, enable_debugger: Refused(false) }, { title: 'WorkflowRun' });

// What pages show.

const times = { started_at: Nullable(Timestamp), completed_at: Nullable(Timestamp) };
const jobSummary = {
  id: Type.Integer(),
  name: Type.String(),
  status: OneOf(jobStatuses),
  conclusion: Nullable(OneOf(jobConclusions)),
  ...times,
};

/** A job of a file with the jobs that were made of it, which are several for a matrix. */
const JobNode = Type.Object({
  key: Type.String(),
  name: Type.String(),
  /** The keys of the nodes that it needs. */
  needs: Type.Array(Type.String()),
  jobs: Type.Array(Type.Object({ ...jobSummary, problem: Nullable(Type.String()), environment: Nullable(Type.String()) })),
});
export type JobNode = Static<typeof JobNode>;

export const RunDetails = Type.Object({
  nodes: Type.Array(JobNode),
  annotations: Type.Array(
    Type.Object({
      job_id: Type.Integer(),
      job_name: Type.String(),
      path: Type.String(),
      start_line: Type.Integer(),
      annotation_level: OneOf(annotationLevels),
      title: Nullable(Type.String()),
      message: Type.String(),
    }),
  ),
  /** Why its file can't be run. */
  problems: Type.Array(Type.Object({ message: Type.String(), line: Type.Integer() })),
});
export type RunDetails = Static<typeof RunDetails>;

/** A job, with the rows of its log that belong to each step, and the jobs beside it. */
export const JobDetails = Type.Object({
  job: WorkflowJob,
  steps: Type.Array(
    Type.Object({
      number: Type.Integer(),
      name: Type.String(),
      status: OneOf(stepStatuses),
      conclusion: Nullable(Type.String()),
      ...times,
      first_row: Type.Integer(),
      row_count: Type.Integer(),
    }),
  ),
  log_rows: Type.Integer(),
  log_bytes: Type.Integer(),
  problem: Nullable(Type.String()),
  jobs: Type.Array(Type.Object(jobSummary)),
});
export type JobDetails = Static<typeof JobDetails>;

const LogRow = Type.Object({ row: Type.Integer(), at: Type.String(), text: Type.String(), left: Type.Integer() });

export const LogRows = Type.Object({ total: Type.Integer(), rows: Type.Array(LogRow) });
export const LogMatches = Type.Object({ rows: Type.Array(LogRow), next: Nullable(Type.Integer()) });

export const JobExplanation = Type.Object({
  waits: Type.Boolean(),
  message: Type.String(),
  steps: Type.Array(Type.Object({ check: Type.String(), passed: Type.Boolean(), because: Type.String() })),
});

/** Why a run waits; null if none of its jobs does. */
export const RunExplanation = Type.Object({
  job: Nullable(Type.Object({ id: Type.Integer(), name: Type.String(), message: Type.String() })),
});
