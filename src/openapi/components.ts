import type { TSchema } from 'typebox';
import { emitSchema } from '#vocabulary/schema.ts';
import type { Vocabulary } from '#vocabulary/words.ts';

type Json = Record<string, unknown>;

/** The schemas that have names: what families export from their `schemas.ts`. */
export type NamedSchemas = Readonly<Record<string, TSchema>>;

/** Replaces named schemas by references, at any depth. */
export type References = {
  /** A schema with its named parts as references, in the words of the vocabulary. `operation` is the one whose reply it describes. */
  of(schema: object, operation?: string): object;
  /** The named schemas that were referred to so far, by their names. */
  components(): Record<string, object>;
};

export function makeReferences(named: NamedSchemas, vocabulary: Vocabulary): References {
  const names = new Map<unknown, string>(Object.entries(named).map(([name, schema]) => [schema, name]));
  const used = new Map<string, object>();

  const inner = (value: unknown, operation?: string): unknown => {
    if (Array.isArray(value)) return value.map((item) => inner(item, operation));
    if (typeof value !== 'object' || value === null) return value;
    const name = names.get(value);
    if (name === undefined) return entries(value, operation);
    if (!used.has(name)) {
      used.set(name, {}); // before looking inside, so that a schema that refers to itself ends here
      used.set(name, emitSchema(vocabulary, entries(value, operation), operation));
    }
    return { $ref: `#/components/schemas/${name}` };
  };
  const entries = (schema: object, operation?: string): Json =>
    Object.fromEntries(Object.entries(schema).map(([keyword, value]) => [keyword, inner(value, operation)]));

  return {
    of: (schema, operation) => emitSchema(vocabulary, inner(schema, operation) as object, operation), // an object stays one
    components: () => Object.fromEntries([...used].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}
