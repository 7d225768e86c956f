// The inputs of a dispatch: the declarations in a file, and the given values.
import type { Json } from './expressions.ts';
import { partOf, type Source, type WorkflowFile } from './file.ts';

/** The inputs don't match a file's declarations. */
export class InputProblem extends Error {}

/** The inputs that a file declares for dispatches; undefined if it can't be dispatched. */
function declaredInputs({ events, source }: WorkflowFile): Source | undefined {
  if (!('workflow_dispatch' in events)) return undefined;
  const on = partOf(source, 'on');
  return partOf(partOf(on, 'workflow_dispatch'), 'inputs');
}

/** Whether a file can be dispatched. */
export const isDispatched = (file: WorkflowFile): boolean => declaredInputs(file) !== undefined;

/**
 * The inputs of a dispatch as texts, with the defaults of missing ones (the public API's rules).
 * @throws InputProblem for an input that the file doesn't declare or that has the wrong type, and for a missing required one
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

/** The context `inputs` of a dispatch: its texts, converted to their declared types. */
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
