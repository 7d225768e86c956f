import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isSchema, type Schema, schemasIn } from '#vocabulary/schema-leaves.ts';
import type { Description, PublicOperation } from './public-schema.ts';

type Published = { readonly paths: Readonly<Record<string, Readonly<Record<string, Schema>>>>; readonly components: Schema };

const read = (name: string): Published =>
  JSON.parse(readFileSync(fileURLToPath(new URL(`./generated/${name}.json`, import.meta.resolve('@octokit/openapi'))), 'utf8'));

/** The public API's own published description of all its operations. */
export const published = read('api.github.com');

/**
 * Describes the operations that `known` lacks: without prose, and with the schemas that they need beside the known ones. An
 * operation that only self-hosted servers have is described as there.
 */
export function describeOperations(ids: ReadonlySet<string>, known: Description): Description {
  const found: Description = { operations: {}, schemas: {} };
  for (const source of [published, read('ghes-3.19')]) {
    const wanted = new Set([...ids].filter((id) => !known.operations[id] && !found.operations[id]));
    Object.assign(found.operations, operationsOf(source, wanted));
    addSchemas(source, found, known);
  }
  return { operations: sorted(found.operations), schemas: sorted(found.schemas) };
}

function operationsOf(source: Published, wanted: ReadonlySet<string>): Record<string, PublicOperation> {
  const operations = Object.entries(source.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  return Object.fromEntries(
    operations.flatMap(({ path, method, operation }) => {
      const { operationId: id } = operation;
      return typeof id === 'string' && wanted.has(id) ? [[id, operationOf(source, path, method, operation)]] : [];
    }),
  );
}

function operationOf(source: Published, path: string, method: string, operation: Schema): PublicOperation {
  const body = operation.requestBody === undefined ? undefined : resolved(source, operation.requestBody);
  const schema = body && jsonOf(body);
  const responses = isSchema(operation.responses) ? operation.responses : {};
  return {
    method,
    path,
    category: categoryOf(operation),
    parameters: schemasIn(operation.parameters)
      .map((parameter) => resolved(source, parameter))
      .filter((parameter) => parameter.in !== 'header')
      .map(({ name, in: place, required, schema }) => ({
        name,
        in: place,
        ...(required === true && { required }),
        schema: bare(schema),
      })),
    ...(schema && { body: bareSchema(schema), bodyRequired: body.required === true }),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, reply]) => {
        const shown = jsonOf(resolved(source, reply));
        return [status, shown ? bareSchema(shown) : null];
      }),
    ),
  };
}

const categoryOf = (operation: Schema): string => {
  const category = isSchema(operation['x-github']) ? operation['x-github'].category : undefined;
  return typeof category === 'string' ? category : String(operation.operationId).replace(/\/.*$/, '');
};

/** Adds the schemas that the operations and schemas found so far refer to. */
function addSchemas(source: Published, found: Description, known: Description): void {
  const all = isSchema(source.components.schemas) ? source.components.schemas : {};
  for (;;) {
    const lacking = [...new Set(referencesIn(found))].filter((name) => !known.schemas[name] && !found.schemas[name]);
    if (lacking.length === 0) return;
    for (const name of lacking) found.schemas[name] = bareSchema(resolved(source, all[name]));
  }
}

const prefix = '#/schemas/';

function referencesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' && typeof inner === 'string' ? [inner.replace(prefix, '')] : referencesIn(inner),
  );
}

function resolved(source: Published, value: unknown): Schema {
  if (!isSchema(value)) throw new Error('The published description refers to something that it lacks');
  if (typeof value.$ref !== 'string') return value;
  const target = value.$ref
    .split('/')
    .slice(1)
    .reduce<unknown>((at, name) => (isSchema(at) ? at[name] : undefined), source);
  return resolved(source, target);
}

function jsonOf({ content }: Schema): Schema | undefined {
  const media = isSchema(content) ? content['application/json'] : undefined;
  return isSchema(media) && isSchema(media.schema) ? media.schema : undefined;
}

const prose = new Set(['description', 'title', 'example', 'examples', 'deprecated', 'externalDocs']);

const bareSchema = (schema: Schema): Schema => Object.fromEntries(bareEntries(schema));
const bare = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(bare);
  return isSchema(value) ? bareSchema(value) : value;
};

/** A schema without prose. Property names are kept, whatever they are. */
function bareEntries(schema: Schema): [string, unknown][] {
  if (typeof schema.$ref === 'string') return [['$ref', schema.$ref.replace('#/components/schemas/', prefix)]];
  return Object.entries(schema)
    .filter(([keyword]) => !prose.has(keyword) && !keyword.startsWith('x-'))
    .map(([keyword, value]) => [
      keyword,
      keyword === 'properties' && isSchema(value)
        ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, bare(inner)]))
        : bare(value),
    ]);
}

const sorted = <T>(entries: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(entries).sort(([one], [other]) => (one < other ? -1 : 1)));
