import type { Endpoint } from '#endpoint/endpoint.ts';
import { emitSchema } from '#vocabulary/schema.ts';
import { isSchema, leavesOf, propertiesOf, resolveWithin, type Schema, schemasIn } from '#vocabulary/schema-leaves.ts';

/** The maximum depth of bodies. A recursive schema is followed to this depth. */
const maxDepth = 6;

/** The paths of all fields that a body may have, such as `config.url` or `rules.*.type`, without refused ones. */
export function fieldsOf({ body }: Pick<Endpoint, 'body'>): string[] {
  const emitted = body && emitSchema('service', body);
  if (!isSchema(emitted)) return [];
  const resolve = resolveWithin(emitted);
  function* walk(schemas: readonly Schema[], place: readonly string[]): Generator<string> {
    if (place.length > maxDepth) return;
    const leaves = leavesOf(schemas, resolve).filter((leaf) => leaf['x-refused'] !== true);
    const items = leaves.flatMap((leaf) => schemasIn(leaf.items));
    if (items.length > 0) yield* walk(items, [...place, '*']);
    const named = Map.groupBy(leaves.flatMap(propertiesOf), ([name]) => name);
    for (const [name, entries] of named) {
      const inner = entries.map(([, schema]) => schema).filter((schema) => schema['x-refused'] !== true);
      if (inner.length === 0) continue;
      yield [...place, name].join('.');
      yield* walk(inner, [...place, name]);
    }
  }
  return [...new Set(walk([emitted], []))];
}
