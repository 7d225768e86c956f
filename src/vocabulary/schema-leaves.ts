/** Reads JSON Schema, of TypeBox and of OpenAPI 3.0, as far as the words of a document can differ. */

export type Schema = { readonly [keyword: string]: unknown };

export const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value);

export const schemasIn = (value: unknown): Schema[] =>
  Array.isArray(value) ? value.filter(isSchema) : isSchema(value) ? [value] : [];

/** Finds what a `$ref` means. */
export type Resolve = (reference: string) => Schema | undefined;

/** References into a schema itself: `#/$defs/Name`, `#/definitions/Name`, or the bare name that TypeBox uses for its cycles. */
export function resolveWithin(root: Schema): Resolve {
  return (reference) => {
    const name = reference.slice(reference.lastIndexOf('/') + 1);
    return [root.$defs, root.definitions]
      .filter(isSchema)
      .map((defs) => defs[name])
      .find(isSchema);
  };
}

/** The schemas that a value may be described by, with references, unions and intersections opened. */
export function leavesOf(schemas: readonly Schema[], resolve: Resolve): Schema[] {
  const leaves = new Set<Schema>();
  const seen = new Set<Schema>();
  const open = (schema: Schema, isPart: boolean): void => {
    if (seen.has(schema)) return;
    seen.add(schema);
    const target = typeof schema.$ref === 'string' ? resolve(schema.$ref) : undefined;
    if (target) open(target, isPart);
    const parts = schemasIn(schema.allOf);
    const branches = [...schemasIn(schema.anyOf), ...schemasIn(schema.oneOf)];
    for (const part of parts) open(part, true);
    const shaped = isPart || !isAnything(schema) || target !== undefined || parts.length > 0;
    for (const branch of branches) open(branch, shaped);
    const opened = target !== undefined || parts.length > 0 || branches.length > 0;
    // A schema that says nothing opens nothing where others hold beside it.
    if (!isAnything(schema) || !(opened || isPart)) leaves.add(schema);
  };
  for (const schema of schemas) open(schema, false);
  return [...leaves];
}

const shaping = ['type', 'enum', 'const', 'properties', 'items', 'additionalProperties', 'patternProperties'];

/** Whether a schema lets everything through. */
export const isAnything = (schema: Schema): boolean => !shaping.some((keyword) => keyword in schema);

/** The texts that a schema lists, and whether it lets other texts through. */
export function textsOf(schema: Schema): { listed: string[]; open: boolean } {
  const all = 'const' in schema ? [schema.const] : Array.isArray(schema.enum) ? schema.enum : undefined;
  if (all) return { listed: all.filter((value) => typeof value === 'string'), open: false };
  return {
    listed: [],
    open: isAnything(schema) || schema.type === 'string' || (Array.isArray(schema.type) && schema.type.includes('string')),
  };
}

export const propertiesOf = (schema: Schema): [string, Schema][] =>
  isSchema(schema.properties)
    ? Object.entries(schema.properties).filter((entry): entry is [string, Schema] => isSchema(entry[1]))
    : [];

/** The schemas of values under names that somebody else chose; empty where a schema has no such names. */
export const freeValuesOf = (schema: Schema): Schema[] => [
  ...schemasIn(schema.additionalProperties),
  ...(isSchema(schema.patternProperties) ? Object.values(schema.patternProperties).filter(isSchema) : []),
];

/** Whether names that somebody else chose are all that a value holds. */
export const isFree = (schema: Schema): boolean =>
  isAnything(schema) ||
  (propertiesOf(schema).length === 0 &&
    (freeValuesOf(schema).length > 0 || (schema.type === 'object' && schema.additionalProperties !== false)));
