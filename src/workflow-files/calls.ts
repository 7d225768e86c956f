// Workflows that jobs call: the inputs, secrets and outputs that they declare, and the values that a call passes.

import { fixedValue } from '#lib/limits.ts';
import { budget, type Contexts, ExpressionProblem, evaluate, type Json, textOf } from './expressions.ts';
import { lineOf, partOf, type Source, type WorkflowFile, type WorkflowFileJob, type WorkflowProblem } from './file.ts';
import { workflowFileLimits } from './limits.ts';
import type { Combination } from './matrix.ts';
import { entriesOf, findPart, keyText, type Token } from './token.ts';

/** A workflow file, with the workflows that its jobs call. */
export type Workflow = {
  /** Its name in the files of a run; undefined for the run's own file. */
  readonly name: string | undefined;
  readonly file: WorkflowFile;
  /** The called workflows, by the ids of the calling jobs. */
  readonly called: ReadonlyMap<string, Workflow>;
};

/** The position of a calling job in its matrix. */
export type InMatrix = {
  readonly combination: Combination | null;
  readonly index: number;
  readonly total: number;
  readonly failsFast: boolean;
  readonly maxParallel: number | null;
};

/** A call of a workflow, as stored with the called workflow's jobs. */
export type Call = InMatrix & {
  /**
   * The calling job, by the ids of all calls that lead to it: `deploy`, or `deploy:1/check` below the second call of a matrix.
   */
  readonly key: string;
  readonly inputs: { readonly [name: string]: Json };
  /** Whether it is in a concurrency group, so that its jobs wait for its turn. */
  readonly waitsForTurn?: true;
};

type CallKey = Pick<Call, 'key' | 'combination' | 'index'>;

/** The key of one call: the key of its job, with the position in its matrix. */
export const callKeyOf = ({ key, combination, index }: CallKey): string => (combination === null ? key : `${key}:${index}`);

/** The prefix of the keys of a call's jobs. */
export const prefixOfCall = (call: CallKey): string => `${callKeyOf(call)}/`;

/** The last id of a key. */
export const idOfKey = (key: string): string => key.slice(key.lastIndexOf('/') + 1);

/** The workflow at the end of a chain of calls that starts from a run's workflow; undefined if it doesn't exist. */
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
export const isCallable = ({ events }: WorkflowFile): boolean => 'workflow_call' in events;

/** The names of the inputs that a workflow declares for calls, in lower case. */
export const inputNamesOf = (file: WorkflowFile): ReadonlySet<string> => lowerCaseNames(partOf(declarationOf(file), 'inputs'));

/** The problems of a call that both files show without running it. */
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

/** The names of inputs and secrets, which are compared regardless of case. */
const lowerCaseNames = (mapping: Source): ReadonlySet<string> => new Set(Object.keys(mapping).map((name) => name.toLowerCase()));

const maxCallBytes = fixedValue(workflowFileLimits.callValueBytes);

/**
 * The context `inputs` of a called workflow: the values from the job, or else the defaults.
 * @param outside the contexts of the calling job
 * @throws ExpressionProblem for a value that can't be evaluated, or has the wrong type
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
 * The bytes of the inputs and matrix values of a call and its outer calls. Each of its jobs stores them.
 * @param around the bytes of the outer calls
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

/** A value converted to an input's declared type; null means that it is missing. */
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
 * @param outside the contexts of the calling job, including `secrets`
 * @throws ExpressionProblem for a secret that can't be evaluated
 */
export function secretsOfCall(job: WorkflowFileJob, outside: Contexts): { [name: string]: string } {
  const all = outside.secrets as { [name: string]: string };
  if (job.source.secrets === 'inherit') return all;
  const given = entriesOf(findPart(job.parts, 'secrets'));
  const values = given.map(({ key, value }) => [keyText(key), textOf(evaluate(value, outside))] as const);
  // An unknown secret is treated as missing.
  return Object.fromEntries(values.filter(([, value]) => value !== ''));
}

/**
 * The outputs of a called workflow that has ended.
 * @param inside its contexts, including `jobs`
 * @throws ExpressionProblem for an output that can't be evaluated
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

/** Whether one of several keys belongs to a job that needs one of the jobs `ids`, at any level of calls. */
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

/** The ids in a key, each with its prefix: `a:1/b` consists of `a` without a prefix, and `b` with the prefix `a:1/`. */
function levelsOf(key: string): { prefix: string; id: string }[] {
  let prefix = '';
  return key.split('/').flatMap((part) => {
    const level = { prefix, id: part.replace(/:\d+$/, '') };
    prefix += `${part}/`;
    return part === '' ? [] : [level];
  });
}

/** The jobs that need one of these, directly or indirectly. */
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
