import type { TSchema } from 'typebox';
import { emitSchema } from '#vocabulary/schema.ts';
import type { Vocabulary } from '#vocabulary/words.ts';
import { portablePattern } from './portable-pattern.ts';

type Json = Record<string, unknown>;

/** The named schemas, which families export from their `schemas.ts`. */
export type NamedSchemas = Readonly<Record<string, TSchema>>;

/** Replaces named schemas by `$ref`s, at any depth. */
export type References = {
  /** A schema with `$ref`s, in the vocabulary's words. `operation` is the operation whose reply it describes. */
  of(schema: object, operation?: string): object;
  /** The named schemas referenced so far. */
  components(): Record<string, object>;
};

/**
 * The alternatives of a schema exclude each other. Tools can't see that if an absent field selects one of them, so they get
 * `anyOf`, which accepts the same values.
 */
const wordFor = (keyword: string): string => (keyword === 'oneOf' ? 'anyOf' : keyword);

const portable = (keyword: string, value: unknown): unknown =>
  keyword === 'pattern' && typeof value === 'string' ? portablePattern(value) : value;

export function makeReferences(named: NamedSchemas, vocabulary: Vocabulary): References {
  const names = new Map<unknown, string>(Object.entries(named).map(([name, schema]) => [schema, name]));
  const components = new Map<string, object>();

  const replaceNamed = (value: unknown, operation?: string): unknown => {
    if (Array.isArray(value)) return value.map((item) => replaceNamed(item, operation));
    if (typeof value !== 'object' || value === null) return value;
    const name = names.get(value);
    if (name === undefined) return replaceIn(value, operation);
    if (!components.has(name)) {
      components.set(name, {}); // set before the recursion, so that cyclic schemas terminate
      components.set(name, emitSchema(vocabulary, replaceIn(value, operation), operation));
    }
    return { $ref: `#/components/schemas/${name}` };
  };
  const replaceIn = (schema: object, operation?: string): Json =>
    Object.fromEntries(
      Object.entries(schema).map(([keyword, value]) => [wordFor(keyword), replaceNamed(portable(keyword, value), operation)]),
    );

  return {
    // the result of an object is an object
    of: (schema, operation) => emitSchema(vocabulary, replaceNamed(schema, operation) as object, operation),
    components: () => Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}
