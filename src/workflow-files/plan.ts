// Decides which jobs of a run come next. Whenever a job ends, a new plan is made from the file and the progress so far.
import { gather } from '#lib/collections.ts';
import {
  bytesOfCalls,
  type Call,
  callKeyOf,
  type InMatrix,
  inputsOfCall,
  outputsOfCall,
  prefixOfCall,
  strategyContext,
  type Workflow,
} from './calls.ts';
import {
  type Concurrency,
  checkGroups,
  concurrencyIn,
  concurrencyOfFile,
  type Lease,
  type LeaseState,
  namesOf,
} from './concurrency.ts';
import { cancelledCall, endedJob } from './ended-jobs.ts';
import { budget, type Contexts, ExpressionProblem, evaluate, holds, type Json } from './expressions.ts';
import { lineOf, type WorkflowFile, type WorkflowFileJob } from './file.ts';
import { nameOf, shownName } from './job-names.ts';
import { environmentOf, nameOfEnvironment, runsOnOf } from './job-parts.ts';
import { type Combination, combinationsOf, MatrixProblem } from './matrix.ts';
import { ancestorsOf, statusOf } from './needs.ts';
import { countJobs, PlanTooLarge } from './plan-size.ts';
import { findPart, type Token } from './token.ts';

/** The combined result of a job of a file, over all jobs of its matrix. */
export type JobResult = {
  readonly result: 'success' | 'failure' | 'cancelled' | 'skipped';
  readonly outputs: { readonly [name: string]: string };
};

/** A job to create. */
export type PlannedJob = {
  /** The id in the file. In a called workflow, the ids of the calls that lead to it come first: `deploy/check`. */
  readonly id: string;
  /** The calls that lead to it, the outermost first. */
  readonly calls: readonly Call[];
  readonly name: string;
  /** The context `matrix`; null without a matrix. */
  readonly combination: Combination | null;
  /** Its position among the jobs of its matrix, from 0, and the number of these jobs. */
  readonly index: number;
  readonly total: number;
  /** Why it doesn't run; undefined if it waits for a runner. */
  readonly ended?:
    | { readonly result: 'skipped' | 'cancelled' }
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

/** The progress of a run: the created jobs, and the results of ended ones. */
export type Progress = {
  readonly made: ReadonlySet<string>;
  readonly results: ReadonlyMap<string, JobResult>;
  readonly isCancelled: boolean;
  /** The leases by key; undefined if turns don't matter. */
  readonly leases?: ReadonlyMap<string, LeaseState>;
};

/** The next jobs. */
export type Plan = {
  readonly jobs: readonly PlannedJob[];
  /**
   * The results of ended jobs, including jobs in `jobs` that end immediately and jobs that call workflows, by their ids as in
   * `PlannedJob`.
   */
  readonly results: ReadonlyMap<string, JobResult>;
  /** Whether all jobs of the file have ended. */
  readonly isOver: boolean;
  /** The leases of concurrency groups that unfinished calls hold or wait for. */
  readonly leases: readonly Lease[];
  /** The key prefixes of jobs that wait for a call's turn. */
  readonly held: readonly string[];
  /** Why the plan ends before all of its jobs: there are too many, or they are too large. */
  readonly problem?: string;
};

/**
 * The jobs that can be created now, because their needs have ended. A skipped job ends immediately, so that the jobs that need it
 * follow. For a job that calls a workflow, the jobs of that workflow are created instead.
 * @param contexts `github`, `inputs` and `vars`
 */
export function planJobs(workflow: Workflow, contexts: Contexts, { made, results, isCancelled, leases: known }: Progress): Plan {
  const begun = begunCalls([...made, ...[...(known?.keys() ?? [])].map((key) => key.replace(/\/$/, ''))]);
  const state: State = { jobs: [], leases: [], held: [], made, begun, results: new Map(results), known, bytes: 0 };
  const cancelled = isCancelled ? 'skipped' : undefined;
  try {
    planLevel(
      {
        workflow,
        contexts,
        calls: [],
        callBytes: 0,
        prefix: '',
        namePrefix: '',
        cancelled,
        groups: groupsOfRun(workflow, contexts),
      },
      state,
    );
  } catch (error) {
    if (error instanceof PlanTooLarge) return { ...state, isOver: false, problem: error.message };
    throw error;
  }
  return { ...state, isOver: isOver(workflow.file, (id) => state.results.get(id)) };
}

/** The group that a whole run is in. */
function groupsOfRun({ file }: Workflow, contexts: Contexts): string[] {
  try {
    return namesOf(concurrencyOfFile(file, contexts));
  } catch (error) {
    if (error instanceof ExpressionProblem) return []; // the run was created with other variables
    throw error;
  }
}

/** The plan so far, and the earlier progress. */
type State = {
  /** The size of the planned jobs in bytes, with the inputs of the calls that lead to them. */
  bytes: number;
  readonly jobs: PlannedJob[];
  readonly leases: Lease[];
  readonly held: string[];
  readonly made: ReadonlySet<string>;
  readonly begun: ReadonlySet<string>;
  readonly results: Map<string, JobResult>;
  readonly known: Progress['leases'];
};

/** The file of a run, or of a call in it. */
type Level = {
  readonly workflow: Workflow;
  readonly contexts: Contexts;
  readonly calls: readonly Call[];
  /** The size of their inputs and matrix values in bytes. */
  readonly callBytes: number;
  /** The prefixes of its jobs' ids and names. */
  readonly prefix: string;
  readonly namePrefix: string;
  /** The result of jobs that aren't created because of a cancellation; undefined without a cancellation. */
  readonly cancelled: 'skipped' | 'cancelled' | undefined;
  /** Its concurrency groups and all outer ones, in lower case. */
  readonly groups: readonly string[];
};

/**
 * The calls that have begun, from the ids of their jobs and their own ids: the parts that end with a slash, without matrix
 * positions.
 */
function begunCalls(ids: Iterable<string>): Set<string> {
  const begun = new Set<string>();
  for (const id of ids) {
    begun.add(id.replace(/:\d+$/, ''));
    for (let at = id.indexOf('/'); at >= 0; at = id.indexOf('/', at + 1)) {
      begun.add(id.slice(0, at + 1));
      begun.add(id.slice(0, at).replace(/:\d+$/, ''));
    }
  }
  return begun;
}

const isOver = ({ jobs }: WorkflowFile, resultOfJob: (id: string) => JobResult | undefined): boolean =>
  [...jobs.keys()].every((id) => resultOfJob(id) !== undefined);

function planLevel(level: Level, state: State): void {
  const { prefix } = level;
  const { results } = state;
  const seen = new Set<string>();
  for (let before = -1; before !== seen.size; ) {
    before = seen.size;
    for (const job of level.workflow.file.jobs.values()) {
      const id = prefix + job.id;
      if (seen.has(id) || !job.needs.every((need) => results.has(prefix + need))) continue;
      seen.add(id);
      if (state.made.has(id)) continue;
      const next = planJob(level, job, state);
      countJobs(state, next, level.callBytes);
      state.jobs.push(...next);
      const [first] = next;
      if (first?.ended) results.set(id, { result: first.ended.result, outputs: {} });
    }
  }
}

function planJob(level: Level, job: WorkflowFileJob, state: State): PlannedJob[] {
  const { needs, parts } = job;
  const { workflow, prefix } = level;
  const resultsOf = (id: string): JobResult | undefined => state.results.get(prefix + id);
  const contexts: Contexts = { ...level.contexts, needs: needsContext(needs, resultsOf) };
  try {
    const status = level.cancelled ? 'cancelled' : statusOf(ancestorsOf(workflow.file, job.id), resultsOf);
    const isBegun = state.begun.has(prefix + job.id);
    if (!isBegun && !holds(job.condition, contexts, status))
      return [endedJob(level, job, { result: level.cancelled ?? 'skipped' })];
    const strategyPart = findPart(parts, 'strategy');
    const strategy = (strategyPart ? evaluate(strategyPart, contexts) : {}) as { [name: string]: Json };
    const combinations = strategy.matrix === undefined ? [null] : combinationsOf(strategy.matrix);
    const positions = combinations.map((combination, index) => ({
      combination,
      index,
      total: combinations.length,
      failsFast: strategy['fail-fast'] !== false,
      maxParallel: typeof strategy['max-parallel'] === 'number' ? strategy['max-parallel'] : null,
    }));
    if (!job.isCall) return positions.map((position) => jobOf(level, job, contexts, position));
    planCalls(level, job, state, { contexts, positions });
    return [];
  } catch (error) {
    if (!(error instanceof ExpressionProblem) && !(error instanceof MatrixProblem)) throw error;
    const line = (error instanceof ExpressionProblem ? error.line : undefined) ?? lineOf(job.parts);
    return [endedJob(level, job, { result: 'failure', problem: error.message, line })];
  }
}

/** The context `needs` of a job. */
export const needsContext = (needs: readonly string[], resultOfJob: (id: string) => JobResult | undefined): Json =>
  Object.fromEntries(needs.map((need) => [need, { ...(resultOfJob(need) ?? { result: 'skipped', outputs: {} }) }]));

type OfCalls = { readonly contexts: Contexts; readonly positions: readonly InMatrix[] };

/**
 * Plans the jobs of the workflow that a job calls, for each combination of its matrix. The job ends when all of them have ended.
 */
function planCalls(level: Level, job: WorkflowFileJob, state: State, { contexts, positions }: OfCalls): void {
  const key = level.prefix + job.id;
  const workflow = level.workflow.called.get(job.id);
  if (!workflow) throw new ExpressionProblem('The workflow that it calls is not known', lineOf(job.parts));
  const { github = null, vars = null } = contexts;
  // All levels are computed before any of them begins, so that an evaluation error fails all of them.
  const levels = positions.map((position) => {
    const outside = { ...contexts, matrix: position.combination, strategy: strategyContext(position) };
    const inputs = inputsOfCall(job, workflow.file, outside);
    const inside: Contexts = { github, vars, inputs, [budget]: contexts[budget] };
    const name = shownName(level.namePrefix + nameOf(job, outside, position.combination));
    const at = callKeyOf({ ...position, key });
    const own = concurrencyIn(findPart(job.parts, 'concurrency'), outside);
    const ofFile = concurrencyOfFile(workflow.file, inside);
    checkGroups(namesOf(own), level.groups, lineOf(job.parts));
    checkGroups(namesOf(ofFile), [...level.groups, ...namesOf(own)], lineOf(job.parts));
    const leases: Lease[] = [
      ...(own ? [{ ...own, key: at, name }] : []),
      ...(ofFile ? [{ ...ofFile, key: `${at}/`, name }] : []),
    ];
    const call: Call = { ...position, key, inputs, ...(leases.length > 0 && { waitsForTurn: true }) };
    const called: Level = {
      workflow,
      contexts: inside,
      calls: [...level.calls, call],
      callBytes: bytesOfCalls(job, call, level.callBytes),
      prefix: prefixOfCall(call),
      namePrefix: `${name} / `,
      cancelled: leases.some((lease) => state.known?.get(lease.key)?.isCancelled) ? 'cancelled' : level.cancelled,
      groups: [...level.groups, ...namesOf(own, ofFile)],
    };
    return { at, called, leases, position };
  });
  const ended: JobResult[] = [];
  let open = 0;
  for (const { at, called, leases, position } of levels) {
    const { failsFast, maxParallel } = position;
    const known = state.results.get(at);
    const isBegun = state.begun.has(called.prefix);
    if (known) ended.push(known);
    else if (!isBegun && failsFast && ended.some(({ result }) => result === 'failure'))
      ended.push({ result: 'cancelled', outputs: {} });
    else if (!isBegun && maxParallel !== null && open >= maxParallel) open++;
    else {
      const result = planCall(called, state, leases);
      if (result) ended.push(result);
      else open++;
    }
  }
  if (open === 0) state.results.set(key, resultOf(ended.map((one) => ({ ...one, isOptional: false }))));
}

/** Plans the jobs of one call, if it is its turn in its concurrency groups. @returns its result, if it has ended */
function planCall(called: Level, state: State, leases: readonly Lease[]): JobResult | undefined {
  const isOverBefore = resultOfCall(called, state);
  if (isOverBefore) return isOverBefore;
  // Groups are acquired one after the other: a call that waits for the second holds the first.
  const missing = state.known ? leases.findIndex(({ key }) => !state.known?.get(key)?.isHeld) : -1;
  const call = called.calls.at(-1);
  if (missing >= 0 && called.cancelled && call && !state.begun.has(called.prefix)) {
    const job = cancelledCall(called, call);
    countJobs(state, [job], called.callBytes);
    state.jobs.push(job);
    return { result: 'cancelled', outputs: {} };
  }
  if (missing >= 0 && !called.cancelled) {
    state.leases.push(...leases.slice(0, missing + 1));
    state.held.push(called.prefix);
    countJobs(state, [], 0);
    return undefined;
  }
  planLevel(called, state);
  const result = resultOfCall(called, state);
  if (!result) state.leases.push(...leases.filter(({ key }) => state.known?.has(key)));
  return result;
}

/** The result of a call; undefined until all of its jobs have ended. */
function resultOfCall({ workflow: { file }, prefix, contexts }: Level, { results }: State): JobResult | undefined {
  if (!isOver(file, (id) => results.get(prefix + id))) return undefined;
  const jobs = [...file.jobs.keys()].map((id) => [id, results.get(prefix + id) ?? { result: 'skipped', outputs: {} }] as const);
  const { result } = resultOf(jobs.map(([, one]) => ({ ...one, isOptional: false })));
  try {
    return { result, outputs: outputsOfCall(file, { ...contexts, jobs: Object.fromEntries(jobs) }) };
  } catch (error) {
    if (!(error instanceof ExpressionProblem)) throw error;
    return { result: 'failure', outputs: {} };
  }
}

function jobOf(
  { prefix, namePrefix, calls, groups }: Level,
  job: WorkflowFileJob,
  run: Contexts,
  position: InMatrix,
): PlannedJob {
  const contexts: Contexts = { ...run, matrix: position.combination, strategy: strategyContext(position) };
  const { parts, id } = job;
  const evaluated = (token: Token | undefined): Json | undefined => token && evaluate(token, contexts);
  const timeout = evaluated(findPart(parts, 'timeout-minutes'));
  const concurrency = concurrencyIn(findPart(parts, 'concurrency'), contexts);
  checkGroups(namesOf(concurrency), groups, lineOf(parts));
  return {
    ...position,
    id: prefix + id,
    calls,
    name: shownName(namePrefix + nameOf(job, contexts, position.combination)),
    ...runsOnOf(evaluated(findPart(parts, 'runs-on')) ?? null, lineOf(parts)),
    environment: environmentOf(evaluated(nameOfEnvironment(findPart(parts, 'environment'))) ?? null),
    concurrency,
    isOptional: evaluated(findPart(parts, 'continue-on-error')) === true,
    timeoutMinutes: typeof timeout === 'number' && timeout > 0 ? timeout : null,
  };
}

/** The combined result of the jobs of one matrix. For outputs, later non-empty values win (the public API's rule). */
export function resultOf(jobs: readonly (JobResult & { readonly isOptional: boolean })[]): JobResult {
  const results = new Set(jobs.map(({ result, isOptional }) => (isOptional && result === 'failure' ? 'success' : result)));
  const result = (['failure', 'cancelled', 'success'] as const).find((one) => results.has(one)) ?? 'skipped';
  const outputs = gather(jobs, 'outputs').flatMap((own) => Object.entries(own));
  return { result, outputs: Object.fromEntries(outputs.filter(([, value]) => value !== '')) };
}
