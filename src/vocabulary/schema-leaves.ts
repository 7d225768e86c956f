/** Helpers for JSON Schemas of TypeBox and OpenAPI 3.0. */

export type Schema = { readonly [keyword: string]: unknown };

export const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value);

export const schemasIn = (value: unknown): Schema[] =>
  Array.isArray(value) ? value.filter(isSchema) : isSchema(value) ? [value] : [];

/** Resolves a `$ref`. */
export type Resolve = (reference: string) => Schema | undefined;

/** Resolves references within a schema: `#/$defs/Name`, `#/definitions/Name`, or the plain name that TypeBox uses for cycles. */
export function resolveWithin(root: Schema): Resolve {
  return (reference) => {
    const name = reference.slice(reference.lastIndexOf('/') + 1);
    return [root.$defs, root.definitions]
      .filter(isSchema)
      .map((defs) => defs[name])
      .find(isSchema);
  };
}

/** The schemas that may describe a value, with references, unions and intersections expanded. */
export function leavesOf(schemas: readonly Schema[], resolve: Resolve): Schema[] {
  const leaves = new Set<Schema>();
  const seen = new Set<Schema>();
  const expand = (schema: Schema, isPart: boolean): void => {
    if (seen.has(schema)) return;
    seen.add(schema);
    const target = typeof schema.$ref === 'string' ? resolve(schema.$ref) : undefined;
    if (target) expand(target, isPart);
    const parts = schemasIn(schema.allOf);
    const branches = [...schemasIn(schema.anyOf), ...schemasIn(schema.oneOf)];
    for (const part of parts) expand(part, true);
    const isConstrained = isPart || !isAnything(schema) || target !== undefined || parts.length > 0;
    for (const branch of branches) expand(branch, isConstrained);
    const isExpanded = target !== undefined || parts.length > 0 || branches.length > 0;
    // Beside others, a schema without constraints adds nothing.
    if (!isAnything(schema) || !(isExpanded || isPart)) leaves.add(schema);
  };
  for (const schema of schemas) expand(schema, false);
  return [...leaves];
}

const constrainingKeywords = ['type', 'enum', 'const', 'properties', 'items', 'additionalProperties', 'patternProperties'];

/** Whether a schema accepts all values. */
export const isAnything = (schema: Schema): boolean => !constrainingKeywords.some((keyword) => keyword in schema);

/** The strings that a schema lists, and whether it accepts others. */
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

/** The schemas of values whose field names are data; empty if a schema has none. */
export const freeValuesOf = (schema: Schema): Schema[] => [
  ...schemasIn(schema.additionalProperties),
  ...(isSchema(schema.patternProperties) ? Object.values(schema.patternProperties).filter(isSchema) : []),
];

/** Whether all field names of a value are data. For a union of objects, its branches decide. */
export const hasFreeNames = (schema: Schema): boolean =>
  isAnything(schema) ||
  (propertiesOf(schema).length === 0 &&
    schemasIn(schema.anyOf).length + schemasIn(schema.oneOf).length === 0 &&
    (freeValuesOf(schema).length > 0 || (schema.type === 'object' && schema.additionalProperties !== false)));
