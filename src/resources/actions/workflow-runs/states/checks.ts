// The checks that mirror runs: one suite for each workflow, event and commit, and one check run for each job.

import type { Tx } from '#database/connect.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { asId, type Id } from '#lib/id.ts';
import { beginAppRuns, changeAppRun, createAppRuns, type NewAnnotation, putAppSuite } from '#resources/code/checks/index.ts';
import { actionsAppOf } from '#resources/repositories/apps/index.ts';
import { loadNamedRepositories } from '#resources/repositories/repositories/index.ts';
import type { WorkflowProblem } from '#workflow-files/file.ts';
import type { JobRow, RunRow } from '../store.ts';

type OfRun = Pick<RunRow, 'repository_id' | 'owner_id' | 'actor_id' | 'triggering_actor_id'>;

/** The actor of events: the user who triggered the run. */
const actionOf = ({ repository_id, owner_id, actor_id, triggering_actor_id }: OfRun, now: Date) => {
  const by = triggering_actor_id ?? actor_id;
  return { repo: { id: repository_id, owner_id }, by: by === null ? {} : { account: { id: by } }, now };
};

type NewSuite = OfRun & Pick<RunRow, 'workflow_id' | 'event' | 'head_sha' | 'head_branch'>;

/**
 * The suite of a new run. Runs of one workflow for the same event and commit share it, so that the checks of the latest run
 * count, and workflows with equal job names don't affect each other.
 */
export async function suiteOf({ tx, now }: WriteScope, run: NewSuite) {
  const { id: app } = await actionsAppOf(tx, now);
  const { id } = await putAppSuite(tx, actionOf(run, now), {
    app,
    key: `workflow ${run.workflow_id} ${run.event}`,
    commit: run.head_sha,
    branch: run.head_branch,
    by: run.actor_id ?? undefined,
  });
  return id;
}

type CheckedJob = Pick<JobRow, 'id' | 'name' | 'status' | 'conclusion' | 'problem' | 'problem_line'>;

/** Creates the checks of jobs that are inserted next. @returns the created checks, by the ids of their jobs */
export async function createChecks(
  { tx, now }: WriteScope,
  run: RunRow,
  jobs: readonly CheckedJob[],
): Promise<Map<JobRow['id'], Id<'check_runs'>>> {
  if (run.check_suite_id === null || jobs.length === 0) return new Map();
  const page = await pageOf(tx, run);
  const made = await createAppRuns(
    tx,
    actionOf(run, now),
    run.check_suite_id,
    jobs.map((job) => ({
      id: asId<'check_runs'>(job.id),
      name: job.name,
      detailsUrl: jobPathOf(page, job),
      status: job.status === 'completed' ? ('completed' as const) : ('queued' as const),
      conclusion: job.conclusion,
      ...outputOf(run, job),
    })),
  );
  return new Map(made.map(({ id }) => [asId<'workflow_jobs'>(id), id]));
}

/** The page of a run, as a path below the address of the server. */
async function pageOf(tx: Tx, { id, repository_id }: RunRow): Promise<string> {
  const repository = (await loadNamedRepositories(tx, [repository_id])).get(repository_id);
  return `/${repository?.owner.login ?? ''}/${repository?.name ?? ''}/actions/runs/${id}`;
}

const jobPathOf = (page: string, { id }: Pick<JobRow, 'id'>): string => `${page}/job/${id}`;

/** The page of a job, as a path below the address of the server. */
export const jobPagePath = async (tx: Tx, run: RunRow, job: JobRow): Promise<string> => jobPathOf(await pageOf(tx, run), job);

/** Marks the checks of jobs as in progress. */
export async function beginChecks({ tx, now }: WriteScope, { check_suite_id }: RunRow, jobs: readonly JobRow[]): Promise<void> {
  const checks = jobs.flatMap(({ check_run_id }) => check_run_id ?? []);
  if (check_suite_id !== null) await beginAppRuns(tx, check_suite_id, checks, now);
}

/** Marks the check of a job as queued again. */
export async function queueCheck({ tx, now }: WriteScope, run: RunRow, { check_run_id }: JobRow): Promise<void> {
  if (check_run_id !== null) await changeAppRun(tx, actionOf(run, now), check_run_id, { status: 'queued' });
}

/** Completes the check of a job. */
export async function endCheck({ tx, now }: WriteScope, run: RunRow, job: JobRow): Promise<void> {
  if (job.check_run_id === null || job.conclusion === null) return;
  await changeAppRun(tx, actionOf(run, now), job.check_run_id, {
    status: 'completed',
    conclusion: job.conclusion,
    completedAt: job.completed_at ?? now,
    ...outputOf(run, job),
  });
}

/** Adds the annotations from a job's log. */
export async function annotateCheck(
  { tx, now }: WriteScope,
  run: OfRun,
  { check_run_id }: JobRow,
  annotations: readonly NewAnnotation[],
): Promise<void> {
  if (check_run_id !== null && annotations.length > 0) await changeAppRun(tx, actionOf(run, now), check_run_id, { annotations });
}

/** A run with an invalid file has no jobs. Its own check explains why, at the lines of the file. */
export async function createFailedCheck({ tx, now }: WriteScope, run: RunRow): Promise<void> {
  if (run.check_suite_id === null) return;
  const problems = run.problems as readonly WorkflowProblem[]; // as createRun wrote them
  await createAppRuns(tx, actionOf(run, now), run.check_suite_id, [
    {
      name: run.name,
      detailsUrl: await pageOf(tx, run),
      status: 'completed',
      conclusion: 'failure',
      title: 'The workflow file cannot be run',
      summary: problems
        .map(({ message, line }) => `Line ${line}: ${message}`)
        .join('\n')
        .slice(0, maxSummary),
      annotations: problems.slice(0, maxAnnotations).map(({ message, line }) => failureAt(run, message, line)),
    },
  ]);
}

/** The public API's limits. */
const maxSummary = 65_535;
const maxAnnotations = 50;

function outputOf(run: RunRow, { problem, problem_line }: Pick<JobRow, 'problem' | 'problem_line'>) {
  if (problem === null) return {};
  const annotations = problem_line === null ? [] : [failureAt(run, problem, problem_line)];
  return { title: 'The job could not be run', summary: problem.slice(0, maxSummary), annotations };
}

const failureAt = ({ path }: RunRow, message: string, line: number): NewAnnotation => ({
  path,
  start_line: Math.max(1, line),
  end_line: Math.max(1, line),
  annotation_level: 'failure',
  message: message === '' ? 'Not valid' : message,
});
