import type { TSchema } from 'typebox';
import { isSchema, leavesOf, propertiesOf, resolveWithin, type Schema, schemasIn } from '#vocabulary/schema-leaves.ts';

/** The fields, items and defaults of a schema, merged from all of its alternatives. */
type Shape = {
  readonly fields: ReadonlyMap<string, Shape | undefined> | undefined;
  /** Whether undeclared fields are kept: they are data, or validation refuses them. */
  readonly keepsOthers: boolean;
  readonly items: Shape | undefined;
  readonly defaults: readonly [name: string, value: unknown][];
};

const shapes = new WeakMap<object, Shape | undefined>();

/**
 * A copy of a value with only the fields that a schema declares, at every depth, and with the defaults of missing ones. As in the
 * public API, unknown fields are dropped, so they can't reach a handler or a column.
 */
export const declaredPart = (schema: TSchema, value: unknown): unknown => partOf(shapeOf(schema), value);

function shapeOf(schema: object): Shape | undefined {
  if (!shapes.has(schema)) shapes.set(schema, isSchema(schema) ? makeShape([schema], resolveWithin(schema)) : undefined);
  return shapes.get(schema);
}

function makeShape(schemas: readonly Schema[], resolve: Parameters<typeof leavesOf>[1]): Shape | undefined {
  const leaves = leavesOf(schemas, resolve);
  const properties = leaves.flatMap(propertiesOf);
  const items = leaves.flatMap((leaf) => schemasIn(leaf.items));
  const defaults = schemas
    .flatMap(propertiesOf)
    .flatMap(([name, schema]): [string, unknown][] => ('default' in schema ? [[name, schema.default]] : []));
  if (properties.length === 0 && items.length === 0) return undefined;
  const fields = Map.groupBy(properties, ([name]) => name);
  const shapeOfField = (entries: [string, Schema][]) =>
    makeShape(
      entries.map(([, schema]) => schema),
      resolve,
    );
  return {
    fields:
      properties.length === 0 ? undefined : new Map([...fields].map(([name, entries]) => [name, shapeOfField(entries)] as const)),
    keepsOthers: leaves.some((leaf) => 'additionalProperties' in leaf || 'patternProperties' in leaf || isBare(leaf)),
    items: items.length === 0 ? undefined : makeShape(items, resolve),
    defaults,
  };
}

/** Whether a schema accepts any object. */
const isBare = (leaf: Schema): boolean =>
  !('properties' in leaf) && (leaf.type === undefined || leaf.type === 'object') && !('enum' in leaf) && !('const' in leaf);

function partOf(shape: Shape | undefined, value: unknown): unknown {
  if (!shape || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return shape.items ? value.map((item) => partOf(shape.items, item)) : value;
  return shape.fields ? fieldsOf(shape, shape.fields, value) : value;
}

function fieldsOf({ keepsOthers, defaults }: Shape, fields: NonNullable<Shape['fields']>, value: object): object {
  const given = value as Readonly<Record<string, unknown>>; // an object of JSON
  const part: Record<string, unknown> = keepsOthers ? { ...given } : {};
  for (const [name, shape] of fields) if (Object.hasOwn(given, name)) part[name] = partOf(shape, given[name]);
  for (const [name, fallback] of defaults) if (!Object.hasOwn(part, name)) part[name] = structuredClone(fallback);
  return part;
}
