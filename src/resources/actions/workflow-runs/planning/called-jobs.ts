// The position of a job in the workflow files of its run, and the values that calls pass to it.
import type { Db } from '#database/connect.ts';
import {
  type Call,
  calledBy,
  idOfKey,
  prefixOfCall,
  secretsOfCall,
  strategyContext,
  type Workflow,
} from '#workflow-files/calls.ts';
import type { Contexts } from '#workflow-files/expressions.ts';
import type { WorkflowFileJob } from '#workflow-files/file.ts';
import { type JobResult, needsContext, planJobs } from '#workflow-files/plan.ts';
import { type JobRow, listJobsOfAttempt, type RunRow } from '../store.ts';
import { variablesOf } from './context-facts.ts';
import { type ContextFacts, runContexts } from './contexts.ts';
import { planOf } from './kept-plan.ts';
import { progressOf } from './progress.ts';

/** The position of a job in the file of its run, or in a called file. */
export type Standing = {
  readonly workflow: Workflow;
  /** The workflow of its own file. */
  readonly own: Workflow;
  /** Its id in that file. */
  readonly id: string;
  readonly definition: WorkflowFileJob;
  readonly calls: readonly Call[];
};

/** The position of a job; undefined if the files don't contain it. */
export function standingOf(workflow: Workflow, job: JobRow): Standing | undefined {
  const { calls } = planOf(job);
  const own = calledBy(workflow, calls);
  const id = idOfKey(job.key);
  const definition = own?.file.jobs.get(id);
  return own && definition && { workflow, own, id, definition, calls };
}

/** The progress of a run that its jobs can refer to. */
type Happened = { readonly contexts: Contexts; readonly results: ReadonlyMap<string, JobResult> };

export async function loadHappened(db: Db, run: RunRow, facts: ContextFacts, { workflow }: Standing): Promise<Happened> {
  const [jobs, variables] = [await listJobsOfAttempt(db, run.id, run.attempt), await variablesOf(db, run)];
  const contexts = runContexts(run, facts, variables, workflow.file);
  const progress = { ...progressOf(jobs), isCancelled: run.cancelled_at !== null };
  return { contexts, results: planJobs(workflow, contexts, progress).results };
}

/** The results of the jobs that a job needs. */
export function needsOf({ results }: Happened, { definition, calls }: Standing): { [id: string]: JobResult } {
  const last = calls.at(-1);
  const prefix = last ? prefixOfCall(last) : '';
  const skipped: JobResult = { result: 'skipped', outputs: {} };
  return Object.fromEntries(definition.needs.map((need) => [need, results.get(prefix + need) ?? skipped]));
}

/**
 * The secrets that calls pass to a job.
 * @param secrets the secrets of the run
 * @throws ExpressionProblem for a secret that can't be evaluated
 */
export function handedSecrets(
  { contexts, results }: Happened,
  { workflow, calls }: Standing,
  secrets: { readonly [name: string]: string },
): { readonly [name: string]: string } {
  let given = secrets;
  let prefix = '';
  let at: Workflow | undefined = workflow;
  let inside = contexts;
  for (const call of calls) {
    const id = idOfKey(call.key);
    const job = at?.file.jobs.get(id);
    if (!job) return {};
    const before = prefix;
    const needs = needsContext(job.needs, (need) => results.get(before + need));
    given = secretsOfCall(job, { ...inside, needs, matrix: call.combination, strategy: strategyContext(call), secrets: given });
    prefix = prefixOfCall(call);
    at = at?.called.get(id);
    inside = { ...contexts, inputs: call.inputs };
  }
  return given;
}

/** Whether all calls that lead to a job pass on all secrets. A job that wasn't called has them anyway. */
export function inheritsSecrets({ workflow, calls }: Standing): boolean {
  let at: Workflow | undefined = workflow;
  for (const { key } of calls) {
    const id = idOfKey(key);
    if (at?.file.jobs.get(id)?.source.secrets !== 'inherit') return false;
    at = at.called.get(id);
  }
  return true;
}
