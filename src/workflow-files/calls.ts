// Workflows that jobs call: what they declare of inputs, secrets and outputs, and what a call gives them.

import { fixedValue } from '#lib/limits.ts';
import { budget, type Contexts, ExpressionProblem, evaluate, type Json, textOf } from './expressions.ts';
import { lineOf, partOf, type Source, type WorkflowFile, type WorkflowFileJob, type WorkflowProblem } from './file.ts';
import { workflowFileLimits } from './limits.ts';
import type { Combination } from './matrix.ts';
import { entriesOf, findPart, keyText, type Token } from './token.ts';

/** A workflow file, with the workflows that its jobs call. */
export type Workflow = {
  /** What names it in the files of a run; undefined for the run's own. */
  readonly name: string | undefined;
  readonly file: WorkflowFile;
  /** By the ids of the jobs that call them. */
  readonly called: ReadonlyMap<string, Workflow>;
};

/** The place of a job that calls a workflow in its matrix. */
export type InMatrix = {
  readonly combination: Combination | null;
  readonly index: number;
  readonly total: number;
  readonly failsFast: boolean;
  readonly maxParallel: number | null;
};

/** A call of a workflow, as the jobs of the called one keep it. */
export type Call = InMatrix & {
  /**
   * The job that calls, by the ids of all calls that lead to it: `deploy`, or `deploy:1/check` below the second call of a matrix.
   */
  readonly key: string;
  readonly inputs: { readonly [name: string]: Json };
  /** Whether it is in a concurrency group, for whose turn its jobs wait. */
  readonly waitsForTurn?: true;
};

type CallKey = Pick<Call, 'key' | 'combination' | 'index'>;

/** What names one call: the key of its job, with its place in the matrix of that. */
export const callKeyOf = ({ key, combination, index }: CallKey): string => (combination === null ? key : `${key}:${index}`);

/** What a job's key begins with that a call makes. */
export const prefixOfCall = (call: CallKey): string => `${callKeyOf(call)}/`;

/** The id that a key ends in. */
export const idOfKey = (key: string): string => key.slice(key.lastIndexOf('/') + 1);

/** The workflow that a chain of calls leads to, from the one of a run on; undefined if there is none. */
export const calledBy = (workflow: Workflow, calls: readonly Pick<Call, 'key'>[]): Workflow | undefined =>
  calls.reduce<Workflow | undefined>((at, { key }) => at?.called.get(idOfKey(key)), workflow);

/** The context `strategy` of a job. */
export const strategyContext = ({ index, total, failsFast, maxParallel }: InMatrix): Json => ({
  'fail-fast': failsFast,
  'job-index': index,
  'job-total': total,
  'max-parallel': maxParallel ?? total,
});

/** Whether a job calls a workflow. */
export const isCall = (job: WorkflowFileJob): boolean => job.isCall;

const declarationOf = ({ source }: WorkflowFile): Source => partOf(partOf(source, 'on'), 'workflow_call');

/** Whether calls of a workflow, at any level, may be in concurrency groups. */
export const hasLeases = ({ file, called }: Workflow): boolean =>
  [...called].some(
    ([id, workflow]) =>
      file.jobs.get(id)?.source.concurrency !== undefined ||
      workflow.file.source.concurrency !== undefined ||
      hasLeases(workflow),
  );

/** Whether a workflow can be called. */
const isCallable = ({ events }: WorkflowFile): boolean => 'workflow_call' in events;

/** What is wrong with a call, as far as both files tell without being run. */
export function problemsOfCall(job: WorkflowFileJob, called: WorkflowFile): WorkflowProblem[] {
  const { source, parts } = job;
  const line = lineOf(parts);
  const name = String(source.uses);
  const problem = (message: string): WorkflowProblem[] => [{ message: `${name}: ${message}`, line }];
  if (!isCallable(called)) return problem('The workflow has no workflow_call trigger');
  const declared = declarationOf(called);
  const compared = (part: 'inputs' | 'secrets', given: Source, word: string): WorkflowProblem[] => {
    const known = partOf(declared, part);
    const [knownNames, givenNames] = [lowerCaseNames(known), lowerCaseNames(given)];
    const unknown = Object.keys(given).filter((one) => !knownNames.has(one.toLowerCase()));
    const missing = Object.keys(known).filter(
      (one) => partOf(known, one).required === true && !givenNames.has(one.toLowerCase()),
    );
    return [
      ...unknown.flatMap((one) => problem(`${word} ${one} is not defined in the workflow`)),
      ...missing.flatMap((one) => problem(`${word} ${one} is required, but not provided`)),
    ];
  };
  const secrets = source.secrets === 'inherit' ? [] : compared('secrets', partOf(source, 'secrets'), 'Secret');
  return [...compared('inputs', partOf(source, 'with'), 'Input'), ...secrets];
}

/** The names of inputs and secrets, which are compared in any case. */
const lowerCaseNames = (mapping: Source): ReadonlySet<string> => new Set(Object.keys(mapping).map((name) => name.toLowerCase()));

const maxCallBytes = fixedValue(workflowFileLimits.callValueBytes);

/**
 * The context `inputs` of a called workflow: what the job gives, else the defaults.
 * @param outside the contexts of the job that calls
 * @throws ExpressionProblem for a value that can't be evaluated, or isn't of its type
 */
export function inputsOfCall(job: WorkflowFileJob, called: WorkflowFile, outside: Contexts): { [name: string]: Json } {
  const declared = partOf(declarationOf(called), 'inputs');
  const declarations = partsByName(findPart(called.parts, 'on', 'workflow_call', 'inputs'));
  const given = partsByName(findPart(job.parts, 'with'));
  const { github = null, vars = null } = outside;
  const inputs = Object.keys(declared).map((name) => {
    const { type } = partOf(declared, name);
    const token = given.get(name.toLowerCase());
    const byDefault = token ? undefined : findPart(declarations.get(name.toLowerCase()), 'default');
    const value = token
      ? evaluate(token, outside)
      : byDefault && evaluate(byDefault, { github, vars, [budget]: outside[budget] });
    return [name, typed(value ?? null, type ?? 'string', { name, line: lineOf(token ?? job.parts) })] as const;
  });
  return Object.fromEntries(inputs);
}

/**
 * The bytes of the inputs and matrix values of a call and of the calls around it. Each job that they lead to keeps them.
 * @param around the bytes of the calls around it
 * @throws ExpressionProblem if there are too many
 */
export function bytesOfCalls(
  job: WorkflowFileJob,
  { inputs, combination }: Pick<Call, 'inputs' | 'combination'>,
  around: number,
): number {
  const bytes = around + Buffer.byteLength(JSON.stringify({ inputs, combination }));
  if (bytes <= maxCallBytes) return bytes;
  const message = `The inputs and matrix values of this call and of those around it have more than ${maxCallBytes / 1024} KiB`;
  throw new ExpressionProblem(message, lineOf(job.parts));
}

/** A value as an input of its declared type; null is what isn't given. */
function typed(value: Json, type: Json, { name, line }: { name: string; line: number }): Json {
  const wrong = () => new ExpressionProblem(`The value of the input ${name} is no ${String(type)}`, line);
  if (type === 'boolean') {
    const text = value === null ? 'false' : textOf(value);
    if (text !== 'true' && text !== 'false') throw wrong();
    return text === 'true';
  }
  if (type === 'number') {
    const number = value === null ? 0 : Number(textOf(value));
    if (!Number.isFinite(number) || (typeof value === 'string' && value.trim() === '')) throw wrong();
    return number;
  }
  if (value !== null && typeof value === 'object') throw wrong();
  return textOf(value);
}

/**
 * The secrets that a called workflow gets.
 * @param outside the contexts of the job that calls, `secrets` among them
 * @throws ExpressionProblem for one that can't be evaluated
 */
export function secretsOfCall(job: WorkflowFileJob, outside: Contexts): { [name: string]: string } {
  const all = outside.secrets as { [name: string]: string };
  if (job.source.secrets === 'inherit') return all;
  const given = entriesOf(findPart(job.parts, 'secrets'));
  const values = given.map(({ key, value }) => [keyText(key), textOf(evaluate(value, outside))] as const);
  // One that isn't there is as if it were not given.
  return Object.fromEntries(values.filter(([, value]) => value !== ''));
}

/**
 * The outputs of a workflow that was called and is over.
 * @param inside its contexts, `jobs` among them
 * @throws ExpressionProblem for one that can't be evaluated
 */
export function outputsOfCall({ parts }: WorkflowFile, inside: Contexts): { [name: string]: string } {
  return Object.fromEntries(
    entriesOf(findPart(parts, 'on', 'workflow_call', 'outputs')).flatMap(({ key, value }) => {
      const token = findPart(value, 'value');
      return token ? [[keyText(key), textOf(evaluate(token, inside))]] : [];
    }),
  );
}

/** The parts of a mapping by their names in lower case. */
const partsByName = (token: Token | undefined): ReadonlyMap<string, Token> =>
  new Map(entriesOf(token).map(({ key, value }) => [keyText(key).toLowerCase(), value]));

/** Whether one of several keys is that of a job which needs one of the jobs `ids`, at any level of calls. */
export function keysBehind(workflow: Workflow, keys: ReadonlySet<string>): (key: string) => boolean {
  const idsAt = new Map<string, Set<string>>();
  for (const key of keys) for (const { prefix, id } of levelsOf(key)) idsAt.set(prefix, (idsAt.get(prefix) ?? new Set()).add(id));
  const behindAt = new Map(
    [...idsAt].map(([prefix, ids]) => {
      const at = calledBy(
        workflow,
        levelsOf(prefix.slice(0, -1)).map(({ id }) => ({ key: id })),
      );
      return [prefix, at ? jobsBehind(at.file, ids) : new Set<string>()];
    }),
  );
  return (key) => levelsOf(key).some(({ prefix, id }) => behindAt.get(prefix)?.has(id) ?? false);
}

/** The ids in a key, each with what comes before it: `a:1/b` is `a` below nothing, and `b` below `a:1/`. */
function levelsOf(key: string): { prefix: string; id: string }[] {
  let prefix = '';
  return key.split('/').flatMap((part) => {
    const level = { prefix, id: part.replace(/:\d+$/, '') };
    prefix += `${part}/`;
    return part === '' ? [] : [level];
  });
}

/** The jobs that need one of these, directly or by way of others. */
function jobsBehind({ jobs }: WorkflowFile, ids: ReadonlySet<string>): Set<string> {
  const found = new Set<string>();
  const follow = (): boolean => {
    const before = found.size;
    for (const { id, needs } of jobs.values()) if (needs.some((need) => ids.has(need) || found.has(need))) found.add(id);
    return found.size > before;
  };
  while (follow());
  return found;
}
