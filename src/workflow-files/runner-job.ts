import { fixedValue } from '#lib/limits.ts';
import { ExpressionProblem, type Json } from './expressions.ts';
import type { Source, WorkflowFile } from './file.ts';
import { inputWriter, taskTooLarge } from './given-inputs.ts';
import { workflowFileLimits } from './limits.ts';
import type { Combination } from './matrix.ts';

export type AddedSteps = { readonly before: Source; readonly after: Source };

/** The parts of a planned job that its runner gets. */
type JobForRunner = {
  readonly id: string;
  readonly name: string;
  readonly combination: Combination | null;
  readonly labels: readonly string[];
  readonly timeoutMinutes: number;
  /** The steps that the server adds before and after the job's own steps. */
  readonly added?: AddedSteps | undefined;
  /** Set if its file was called: the name of the run's workflow, and the inputs. */
  readonly called?: { readonly workflow: Json | undefined; readonly inputs: { readonly [name: string]: Json } } | undefined;
};

const maxBytes = fixedValue(workflowFileLimits.taskBytes);

/** Parts that the server has already evaluated. The runner gets the rest of a job, with its expressions in source form. */
const decided = new Set([
  'needs',
  'if',
  'strategy',
  'concurrency',
  'environment',
  'continue-on-error',
  'permissions',
  'snapshot',
]);

/**
 * The job output with the address of its environment. Runners evaluate outputs at the end of a job, and an environment's address
 * may also use outputs of steps. No expression refers to an output with a dot by accident.
 */
export const environmentUrlOutput = 'environment.url';

/**
 * The workflow file of one job for its runner, with only this job and a matrix of its single combination. It is JSON, which is a
 * subset of YAML.
 * @returns undefined if the file has no such job
 * @throws ExpressionProblem if it is too large with the inputs of its call
 */
export function fileForRunner(file: WorkflowFile, job: JobForRunner): string | undefined {
  const definition = file.jobs.get(job.id);
  if (!definition) return undefined;
  const { called } = job;
  const { on } = file.source;
  const name = called ? called.workflow : file.source.name;
  const write = called && inputWriter(called.inputs);
  const written = (part: Json | undefined): Json | undefined => (write && part !== undefined ? write(part) : part);
  const [env, defaults] = [written(file.source.env), written(file.source.defaults)];
  const own = written(Object.fromEntries(Object.entries(definition.source).filter(([part]) => !decided.has(part)))) as Source;
  const { url } = (written(definition.source.environment) ?? {}) as { url?: Json };
  const jobs = {
    [job.id]: {
      ...own,
      ...(job.added && Array.isArray(own.steps) ? { steps: [job.added.before, ...own.steps, job.added.after] } : {}),
      name: job.name,
      'runs-on': job.labels,
      'timeout-minutes': job.timeoutMinutes,
      ...(url === undefined ? {} : { outputs: { ...(own.outputs as Source | undefined), [environmentUrlOutput]: url } }),
      ...(job.combination ? { strategy: { matrix: listsOf(job.combination) } } : {}),
    },
  };
  const text = JSON.stringify({ ...given({ name, on, env, defaults }), jobs });
  if (Buffer.byteLength(text) > maxBytes) throw new ExpressionProblem(taskTooLarge);
  return text;
}

const given = (parts: { readonly [name: string]: Json | undefined }): Source =>
  Object.fromEntries(Object.entries(parts).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));

const listsOf = (combination: Combination): Source =>
  Object.fromEntries(Object.entries(combination).map(([name, value]) => [name, [value]]));
