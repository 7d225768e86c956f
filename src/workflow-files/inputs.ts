// The inputs of a dispatch: what a file declares of them, and what somebody gives.
import type { Json } from './expressions.ts';
import { partOf, type Source, type WorkflowFile } from './file.ts';

/** Why inputs aren't those of a file. */
export class InputProblem extends Error {}

/** The inputs that a file declares for dispatches; undefined where it can't be dispatched. */
function declaredInputs({ events, source }: WorkflowFile): Source | undefined {
  if (!('workflow_dispatch' in events)) return undefined;
  const on = partOf(source, 'on');
  return partOf(partOf(on, 'workflow_dispatch'), 'inputs');
}

/** Whether a file can be dispatched. */
export const isDispatched = (file: WorkflowFile): boolean => declaredInputs(file) !== undefined;

/**
 * The inputs of a dispatch as texts, with the defaults of those that aren't given (the public API's rules).
 * @throws InputProblem for one that the file doesn't declare or that isn't of its type, and for a required one that is missing
 */
export function dispatchInputs(file: WorkflowFile, given: { readonly [name: string]: unknown }): { [name: string]: string } {
  const declared = declaredInputs(file) ?? {};
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(declared, name));
  if (unknown.length > 0) throw new InputProblem(`Unexpected inputs provided: ${JSON.stringify(unknown)}`);
  return Object.fromEntries(
    Object.keys(declared).map((name) => [name, textOfInput(name, partOf(declared, name), given[name] ?? undefined)]),
  );
}

function textOfInput(name: string, { type = 'string', required, default: byDefault, options }: Source, given: unknown): string {
  if (given === undefined && required === true && byDefault === undefined)
    throw new InputProblem(`Required input '${name}' not provided`);
  const value = given ?? byDefault ?? (type === 'boolean' ? false : '');
  if (typeof value === 'object') throw new InputProblem(`Input '${name}' must be a text, a number or a boolean`);
  const text = String(value);
  if (given === undefined) return text;
  if (type === 'boolean' && !['true', 'false'].includes(text))
    throw new InputProblem(`Provided value '${text}' for input '${name}' is not a boolean`);
  if (type === 'number' && (text.trim() === '' || !Number.isFinite(Number(text))))
    throw new InputProblem(`Provided value '${text}' for input '${name}' is not a number`);
  if (type === 'choice' && !(Array.isArray(options) && options.map(String).includes(text)))
    throw new InputProblem(`Provided value '${text}' for input '${name}' not in the list of allowed values`);
  if (required === true && text === '') throw new InputProblem(`Required input '${name}' not provided`);
  return text;
}

/** The context `inputs` of a dispatch: its texts as values of their declared types. */
export function typedInputs(file: WorkflowFile, given: { readonly [name: string]: Json }): { [name: string]: Json } {
  const declared = declaredInputs(file) ?? {};
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const { type } = partOf(declared, name);
      if (type === 'boolean') return [name, value === true || value === 'true'];
      return [name, type === 'number' && value !== '' ? Number(value) : value];
    }),
  );
}
