import type { TSchema } from 'typebox';
import type { NamedSchemas } from './components.ts';

/** The named schemas of modules: exports with a capital letter. @throws Error if two schemas have the same name */
export function namedSchemas(modules: readonly Readonly<Record<string, unknown>>[]): NamedSchemas {
  const named: Record<string, TSchema> = {};
  for (const [name, value] of modules.flatMap((module) => Object.entries(module))) {
    if (!/^[A-Z]/.test(name) || !isSchema(value) || named[name] === value) continue;
    if (named[name]) throw new Error(`Two schemas are called ${name}`);
    named[name] = value;
  }
  return named;
}

const isSchema = (value: unknown): value is TSchema =>
  typeof value === 'object' && value !== null && ('type' in value || 'anyOf' in value || 'allOf' in value);
