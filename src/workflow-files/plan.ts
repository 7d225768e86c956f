// Which jobs of a run come next. A plan is made anew from the file and from what has happened, whenever a job ends.
import type { TemplateToken } from '@actions/workflow-parser/templates/tokens/template-token';
import { isMapping } from '@actions/workflow-parser/templates/tokens/type-guards';
import { gather } from '#lib/collections.ts';
import { fixedValue, limitTable } from '#lib/limits.ts';
import { type Contexts, ExpressionProblem, evaluate, holds, type JobStatus, type Json, textOf } from './expressions.ts';
import { type Combination, combinationsOf, MatrixProblem, nameOfCombination } from './matrix.ts';
import { lineOf, type WorkflowFile, type WorkflowFileJob } from './parse.ts';

/** How a job of a file has ended, all jobs of its matrix together. */
export type JobResult = {
  readonly result: 'success' | 'failure' | 'cancelled' | 'skipped';
  readonly outputs: { readonly [name: string]: string };
};

/** A job to be made. */
export type PlannedJob = {
  /** The id in the file. */
  readonly id: string;
  readonly name: string;
  /** What the context `matrix` holds; null without a matrix. */
  readonly combination: Combination | null;
  /** Its place among the jobs of its matrix, from 0, and how many these are. */
  readonly index: number;
  readonly total: number;
  /** Why it doesn't run; undefined where it waits for a runner. */
  readonly ended?:
    | { readonly result: 'skipped' }
    | { readonly result: 'failure'; readonly problem: string; readonly line: number };
  readonly labels: readonly string[];
  readonly group: string | null;
  readonly environment: { readonly name: string } | null;
  readonly concurrency: Concurrency | null;
  readonly isOptional: boolean;
  readonly timeoutMinutes: number | null;
  readonly maxParallel: number | null;
  readonly failsFast: boolean;
};

/** A concurrency group that a run or a job is in. */
export type Concurrency = { readonly group: string; readonly cancelsInProgress: boolean };

/** What has happened in a run: which jobs were made, and how those that are over have ended. */
export type Progress = {
  readonly made: ReadonlySet<string>;
  readonly results: ReadonlyMap<string, JobResult>;
  readonly isCancelled: boolean;
};

/**
 * The jobs that can be made now: those whose needs are over. A job that is skipped is over at once, so that what needs it follows.
 * @param contexts `github`, `inputs` and `vars`
 */
export function planJobs(file: WorkflowFile, contexts: Contexts, { made, results, isCancelled }: Progress): PlannedJob[] {
  const planned: PlannedJob[] = [];
  const known = new Map(results);
  const seen = new Set(made);
  for (let before = -1; before !== planned.length; ) {
    before = planned.length;
    for (const job of file.jobs.values()) {
      if (seen.has(job.id) || !job.needs.every((need) => known.has(need))) continue;
      seen.add(job.id);
      const next = planJob(file, job, contexts, { results: known, isCancelled });
      planned.push(...next);
      const [first] = next;
      if (first?.ended) known.set(job.id, { result: first.ended.result, outputs: {} });
    }
  }
  return planned;
}

/** The jobs that need one of these, directly or by way of others. */
export function jobsBehind({ jobs }: WorkflowFile, ids: ReadonlySet<string>): Set<string> {
  const found = new Set<string>();
  const follow = (): boolean => {
    const before = found.size;
    for (const { id, needs } of jobs.values()) if (needs.some((need) => ids.has(need) || found.has(need))) found.add(id);
    return found.size > before;
  };
  while (follow());
  return found;
}

/** Whether all jobs of a file are over. */
export const isOver = (file: WorkflowFile, results: ReadonlyMap<string, JobResult>): boolean =>
  [...file.jobs.keys()].every((id) => results.has(id));

type Known = { readonly results: ReadonlyMap<string, JobResult>; readonly isCancelled: boolean };

function planJob(file: WorkflowFile, job: WorkflowFileJob, run: Contexts, { results, isCancelled }: Known): PlannedJob[] {
  const { definition } = job;
  const needs = Object.fromEntries(
    job.needs.map((need) => [need, { ...(results.get(need) ?? { result: 'skipped', outputs: {} }) }]),
  );
  const contexts: Contexts = { ...run, needs };
  try {
    const status = isCancelled ? 'cancelled' : statusOf(ancestorsOf(file, job.id), results);
    if (!holds(definition.if, contexts, status)) return [endedJob(job, { result: 'skipped' })];
    if (definition.type !== 'job')
      return [
        endedJob(job, { result: 'failure', problem: 'Workflows that are called are not offered yet', line: lineOf(job.parts) }),
      ];
    const strategy = definition.strategy && (evaluate(definition.strategy, contexts) as { [name: string]: Json });
    const combinations = strategy?.matrix === undefined ? [null] : combinationsOf(strategy.matrix);
    return combinations.map((combination, index) =>
      jobOf(job, contexts, { combination, index, total: combinations.length, strategy: strategy ?? {} }),
    );
  } catch (error) {
    if (!(error instanceof ExpressionProblem) && !(error instanceof MatrixProblem)) throw error;
    const line = (error instanceof ExpressionProblem ? error.line : undefined) ?? lineOf(job.parts);
    return [endedJob(job, { result: 'failure', problem: error.message, line })];
  }
}

/** All jobs that a job needs, and those that these need. */
function ancestorsOf(file: WorkflowFile, id: string): Set<string> {
  const found = new Set<string>();
  const visit = (job: string): void => {
    for (const need of file.jobs.get(job)?.needs ?? []) {
      if (found.has(need)) continue;
      found.add(need);
      visit(need);
    }
  };
  visit(id);
  return found;
}

/** What `success()` and `failure()` say of a job (the public API's rule: all that it needs, and what that needs). */
function statusOf(ancestors: ReadonlySet<string>, results: ReadonlyMap<string, JobResult>): JobStatus {
  const found = new Set([...ancestors].map((id) => results.get(id)?.result));
  if (found.has('failure')) return 'failure';
  if (found.has('cancelled')) return 'cancelled';
  return found.has('skipped') ? 'skipped' : 'success';
}

const endedJob = ({ id, definition }: WorkflowFileJob, ended: NonNullable<PlannedJob['ended']>): PlannedJob => ({
  id,
  name: definition.name?.isLiteral ? definition.name.toString() : id,
  combination: null,
  index: 0,
  total: 1,
  ended,
  labels: [],
  group: null,
  environment: null,
  concurrency: null,
  isOptional: false,
  timeoutMinutes: null,
  maxParallel: null,
  failsFast: true,
});

type InMatrix = {
  readonly combination: Combination | null;
  readonly index: number;
  readonly total: number;
  readonly strategy: { readonly [name: string]: Json };
};

function jobOf(job: WorkflowFileJob, run: Contexts, { combination, index, total, strategy }: InMatrix): PlannedJob {
  const failsFast = strategy['fail-fast'] !== false;
  const maxParallel = typeof strategy['max-parallel'] === 'number' ? strategy['max-parallel'] : null;
  const contexts: Contexts = {
    ...run,
    matrix: combination,
    strategy: { 'fail-fast': failsFast, 'job-index': index, 'job-total': total, 'max-parallel': maxParallel ?? total },
  };
  const { definition, parts, id } = job;
  const evaluated = (token: TemplateToken | undefined): Json | undefined => token && evaluate(token, contexts);
  const runsOn = definition.type === 'job' ? runsOnOf(evaluated(definition['runs-on']) ?? null) : { labels: [], group: null };
  const named = definition.name && !definition.name.isLiteral ? textOf(evaluate(definition.name, contexts)) : undefined;
  const name = named ?? definition.name?.toString() ?? id;
  const timeout = evaluated(parts.find('timeout-minutes'));
  return {
    id,
    name: named === undefined && combination ? nameOfCombination(name, combination) : name,
    combination,
    index,
    total,
    ...runsOn,
    environment: definition.type === 'job' ? environmentOf(evaluated(nameOfEnvironment(definition.environment)) ?? null) : null,
    concurrency: concurrencyOf(evaluated(definition.concurrency) ?? null),
    isOptional: evaluated(parts.find('continue-on-error')) === true,
    timeoutMinutes: typeof timeout === 'number' && timeout > 0 ? timeout : null,
    maxParallel,
    failsFast,
  };
}

/** What `runs-on` asks for: a label, a list of them, or a group with or without labels. */
function runsOnOf(value: Json): { labels: string[]; group: string | null } {
  if (typeof value === 'string') return { labels: [value], group: null };
  if (Array.isArray(value)) return { labels: value.map(textOf), group: null };
  const { group, labels = [] } = (value ?? {}) as { group?: string; labels?: Json };
  return { labels: runsOnOf(labels).labels, group: group ?? null };
}

/** What names an environment. Its address may name outputs of steps, which the runner knows alone: it is evaluated there. */
const nameOfEnvironment = (token: TemplateToken | undefined): TemplateToken | undefined =>
  token && isMapping(token) ? token.find('name') : token;

const environmentOf = (name: Json): PlannedJob['environment'] => (textOf(name) === '' ? null : { name: textOf(name) });

/** A concurrency group: its name, or a mapping. @throws ExpressionProblem for a name that is too long */
export function concurrencyOf(value: Json): Concurrency | null {
  if (value === null || value === '') return null;
  if (typeof value !== 'object') return groupOf(textOf(value), false);
  const { group = null, 'cancel-in-progress': cancels = false } = value as { group?: Json; 'cancel-in-progress'?: Json };
  return groupOf(textOf(group), cancels === true);
}

const maxGroupName = fixedValue(limitTable.workflows.groupName);

function groupOf(group: string, cancelsInProgress: boolean): Concurrency | null {
  if (group.length > maxGroupName)
    throw new ExpressionProblem(`The name of a concurrency group has at most ${maxGroupName} characters`, undefined);
  return group === '' ? null : { group, cancelsInProgress };
}

/** How the jobs of one matrix have ended together; outputs of later ones win where they aren't empty (the public API's rule). */
export function resultOf(jobs: readonly (JobResult & { readonly isOptional: boolean })[]): JobResult {
  const results = new Set(jobs.map(({ result, isOptional }) => (isOptional && result === 'failure' ? 'success' : result)));
  const result = (['failure', 'cancelled', 'success'] as const).find((one) => results.has(one)) ?? 'skipped';
  const outputs = gather(jobs, 'outputs').flatMap((own) => Object.entries(own));
  return { result, outputs: Object.fromEntries(outputs.filter(([, value]) => value !== '')) };
}
