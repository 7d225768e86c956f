// What pages show of a run and of a job beside what the API shows.
import type { Scope } from '#endpoint/scope.ts';
import { grouped, keyed } from '#lib/collections.ts';
import { withPreparations } from '#lib/preparation.ts';
import { timestampOrNull } from '#lib/time.ts';
import { listAnnotationsOf } from '#resources/code/checks/index.ts';
import type { RepositoryUrls } from '#resources/code/commits/index.ts';
import { idOfKey, prefixOfCall, type Workflow } from '#workflow-files/calls.ts';
import type { WorkflowProblem } from '#workflow-files/file.ts';
import { literalName } from '#workflow-files/job-names.ts';
import { sourceOf } from '../logs/logs.ts';
import { loadWorkflow } from '../planning/called-files.ts';
import { standingOf } from '../planning/called-jobs.ts';
import { planOf } from '../planning/kept-plan.ts';
import { presentJob } from '../present.ts';
import type { JobDetails, JobNode, RunDetails } from '../schemas.ts';
import { findRun, type JobRow, listJobsOfAttempt, listSteps, type RunSummary } from '../store.ts';

/** Further annotations are shown with their jobs. */
const mostAnnotations = 50;

/** The jobs of an attempt in the order of their needs, and what they annotate. */
export async function presentRunDetails({ db }: Scope, run: RunSummary): Promise<RunDetails> {
  const [jobs, withFile] = await Promise.all([listJobsOfAttempt(db, run.id, run.attempt), findRun(db, run.id)]);
  const checks = keyed(
    jobs.filter(({ check_run_id }) => check_run_id !== null),
    ({ check_run_id }) => check_run_id,
  );
  const [workflow, annotations] = await Promise.all([
    withFile && withPreparations(() => loadWorkflow(db, withFile)),
    listAnnotationsOf(
      db,
      [...checks.keys()].filter((id) => id !== null),
      mostAnnotations,
    ),
  ]);
  return {
    nodes: nodesOf(workflow, jobs, { isOver: run.status === 'completed' }),
    annotations: annotations.flatMap(({ check_run_id, path, start_line, annotation_level, title, message }) => {
      const job = checks.get(check_run_id);
      return job ? [{ job_id: job.id, job_name: job.name, path, start_line, annotation_level, title, message }] : [];
    }),
    // as createRun wrote them
    problems: (run.problems as readonly WorkflowProblem[]).map(({ message, line }) => ({ message, line })),
  };
}

/**
 * The jobs of a run by the jobs of its file. Jobs that a matrix made are one node. Jobs of the file that weren't made yet are
 * nodes without jobs.
 */
function nodesOf(workflow: Workflow | undefined, jobs: readonly JobRow[], { isOver }: { isOver: boolean }): JobNode[] {
  const made = grouped(jobs, ({ key }) => key);
  const madeBelow = keysBelow(made.keys());
  const isLater = ({ id }: { id: string }): boolean => !madeBelow.has(id);
  const later = isOver || !workflow ? [] : [...workflow.file.jobs.values()].filter(isLater);
  const below = keysBelow([...made.keys(), ...later.map(({ id }) => id)]);
  /** The nodes of a job that others need. A call has those of its jobs. */
  const behind = (key: string): readonly string[] => below.get(key) ?? [];
  const nodes = [...made].map(([key, [first, ...others]]): JobNode => {
    const standing = workflow && first && standingOf(workflow, first);
    const needs = standing ? standing.definition.needs.map((need) => prefixOf(standing.calls) + need) : [];
    const needsOfCalls = (standing?.calls ?? []).flatMap(({ key: call }, depth) => {
      const holder = standing && workflow && holderOf(workflow, standing.calls, depth);
      const before = prefixOf(standing?.calls.slice(0, depth) ?? []);
      return (holder?.file.jobs.get(idOfKey(call))?.needs ?? []).map((need) => before + need);
    });
    return {
      key,
      name: others.length > 0 ? nameOfMatrix(standing?.definition, key) : (first?.name ?? key),
      needs: [...new Set([...needs, ...needsOfCalls].flatMap(behind))],
      jobs: (made.get(key) ?? []).map(summaryOf),
    };
  });
  const waiting = later.map(
    (job): JobNode => ({
      key: job.id,
      name: literalName(job) ?? job.id,
      needs: job.needs.flatMap(behind),
      jobs: [],
    }),
  );
  return [...nodes, ...waiting];
}

/** The keys of jobs, by themselves and by the keys of the calls that lead to them. */
function keysBelow(keys: Iterable<string>): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const key of keys) {
    const levels = [key, ...[...key.matchAll(/[/:]/g)].map(({ index }) => key.slice(0, index))];
    for (const level of levels) {
      const known = found.get(level) ?? [];
      known.push(key);
      found.set(level, known);
    }
  }
  return found;
}

type Definition = NonNullable<ReturnType<typeof standingOf>>['definition'];
type Calls = NonNullable<ReturnType<typeof standingOf>>['calls'];

const nameOfMatrix = (definition: Definition | undefined, key: string): string =>
  (definition && literalName(definition)) ?? idOfKey(key);

const prefixOf = (calls: Calls): string => {
  const last = calls.at(-1);
  return last ? prefixOfCall(last) : '';
};

/** The workflow whose file has the call at a level. */
const holderOf = (workflow: Workflow, calls: Calls, depth: number): Workflow | undefined =>
  calls.slice(0, depth).reduce<Workflow | undefined>((at, { key }) => at?.called.get(idOfKey(key)), workflow);

const summaryOf = (row: JobRow): JobNode['jobs'][number] => ({
  ...shortOf(row),
  problem: row.problem,
  environment: planOf(row).environment?.name ?? null,
});

const shortOf = ({ id, name, status, conclusion, started_at, completed_at }: JobRow) => ({
  id,
  name,
  status,
  conclusion,
  started_at: timestampOrNull(started_at),
  completed_at: timestampOrNull(completed_at),
});

/** A job with its steps and the jobs beside it. */
export async function presentJobDetails(scope: Scope, urls: RepositoryUrls, row: JobRow): Promise<JobDetails> {
  const { db } = scope;
  const [job, steps, jobs] = await Promise.all([
    presentJob(scope, urls, row),
    listSteps(db, [sourceOf(row)]),
    listJobsOfAttempt(db, row.run_id, row.attempt),
  ]);
  return {
    job,
    steps: steps.map(({ number, name, status, conclusion, started_at, completed_at, first_row, row_count }) => ({
      number,
      name,
      status,
      conclusion,
      started_at: timestampOrNull(started_at),
      completed_at: timestampOrNull(completed_at),
      first_row,
      row_count,
    })),
    log_rows: row.log_rows,
    log_bytes: row.log_bytes,
    problem: row.problem,
    jobs: jobs.map(shortOf),
  };
}
