import { type Plan, planOf } from './plan.ts';
import { isSchema, resolveWithin, type Schema } from './schema-leaves.ts';
import { translated } from './table.ts';
import type { Vocabulary } from './words.ts';

/**
 * A schema for the OpenAPI document, in the vocabulary's words. References aren't followed.
 * @example
 * emitSchema('github', Type.Object({ service_owned_allowed: Type.Boolean() })) // … properties: { github_owned_allowed: … }
 */
export function emitSchema(vocabulary: Vocabulary, schema: object, operation?: string): object {
  if (vocabulary === 'service' || !isSchema(schema)) return schema;
  const plan = planOf(schema, { words: 'neutral', operation, resolve: resolveWithin(schema) });
  return plan ? emit(schema, plan) : schema;
}

/** The keywords whose schemas apply to the same value. */
const sameValue = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'];

function emit(schema: Schema, plan: Plan | undefined): Schema {
  if (!plan) return schema;
  return Object.fromEntries(Object.entries(schema).map(([keyword, value]) => [keyword, emitKeyword(keyword, value, plan)]));
}

function emitKeyword(keyword: string, value: unknown, plan: Plan): unknown {
  const each = (inner: unknown, of: Plan | undefined): unknown =>
    Array.isArray(inner) ? inner.map((item) => each(item, of)) : isSchema(inner) ? emit(inner, of) : inner;
  const word = (text: unknown): unknown => (typeof text === 'string' ? translated(plan.values, 'toVendor', text) : text);
  const field = (name: unknown): unknown => (typeof name === 'string' ? (plan.fields.get(name)?.vendor ?? name) : name);
  if (sameValue.includes(keyword)) return each(value, plan);
  if (keyword === 'items') return each(value, plan.items);
  if (keyword === 'additionalProperties') return each(value, plan.under);
  if (keyword === 'enum' && Array.isArray(value)) return value.map(word);
  if (keyword === 'const' || keyword === 'default') return word(value);
  if (keyword === 'required' && Array.isArray(value)) return value.map(field);
  if (keyword === 'patternProperties' && isSchema(value))
    return mapEntries(value, (name, inner) => [name, each(inner, plan.under)]);
  if (keyword === 'properties' && isSchema(value)) {
    return mapEntries(value, (name, inner) => [plan.fields.get(name)?.vendor ?? name, each(inner, plan.fields.get(name)?.plan)]);
  }
  return value;
}

const mapEntries = (value: Schema, entry: (name: string, inner: unknown) => [string, unknown]): Schema =>
  Object.fromEntries(Object.entries(value).map(([name, inner]) => entry(name, inner)));
