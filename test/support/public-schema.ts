import { readFileSync } from 'node:fs';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { SchemaLocation } from '#test/conformance/differences.ts';
import { translatorOf } from '#vocabulary/body.ts';
import { neutralRoute } from '#vocabulary/paths.ts';
import {
  freeValuesOf,
  hasFreeNames,
  isSchema,
  leavesOf,
  propertiesOf,
  type Schema,
  schemasIn,
} from '#vocabulary/schema-leaves.ts';
import type { Vocabulary } from '#vocabulary/words.ts';
import { allowsDifference } from './needed.ts';
import { exactEventsOf } from './public-events.ts';

/** One operation of the public description. */
export type PublicOperation = {
  readonly method: string;
  /** In the public vocabulary. */
  readonly path: string;
  /** Method and path in the words of the documents, where these name the operation. */
  readonly neutral?: string;
  readonly category: string;
  readonly parameters: readonly Schema[];
  readonly body?: Schema;
  readonly bodyRequired?: boolean;
  /** By status; null if a reply has no body. */
  readonly responses: Readonly<Record<string, Schema | null>>;
};

export type Findings = {
  /** Violations of the public schema, each with its location: wrong types, unknown values, missing required properties. */
  readonly problems: readonly string[];
  /** The locations of properties that are missing in the public schema. */
  readonly unknown: readonly string[];
};

export type Description = {
  readonly operations: Record<string, PublicOperation>;
  readonly schemas: Record<string, Schema>;
};
const read = (name: string): Description => JSON.parse(readFileSync(new URL(`../spec/${name}.json`, import.meta.url), 'utf8'));
/** The operations in the documents. */
export const documentedDescription = read('public-description');
/** The other operations of Hearth. `npm run docs` writes this file. */
const beyond = read('public-beyond');
/** All operations that replies and requests are compared with, by id. */
export const operations: Description['operations'] = { ...documentedDescription.operations, ...beyond.operations };
const schemas: Description['schemas'] = { ...documentedDescription.schemas, ...beyond.schemas };

const shapeOf = (method: string, path: string): string => `${method} ${path.replace(/\{\w+\}/g, '{}')}`;
const byShape = new Map(Object.entries(operations).map(([id, { method, path }]) => [shapeOf(method, neutralRoute(path)), id]));

/**
 * The public operation for a neutral path, for example for `GET /orgs/{org}/assistant/billing`. Parameters may have other names.
 */
export function publicOperation(method: string, neutralPath: string): { id: string; operation: PublicOperation } | undefined {
  const id = byShape.get(shapeOf(method, neutralPath));
  const operation = id === undefined ? undefined : operations[id];
  return id !== undefined && operation ? { id, operation } : undefined;
}

/** The statuses in the public description of an operation; none for an unknown operation. */
export const documentedStatuses = (operationId: string): number[] =>
  Object.keys(operations[operationId]?.responses ?? {}).map(Number);

/**
 * Checks a reply's JSON body against the public description. A body of the `service` vocabulary is first converted to the public
 * vocabulary. A refusal with an undocumented status must at least be a basic error. `body` is undefined if none was sent.
 */
export function checkAgainstPublicSchema(operationId: string, status: number, body: unknown, vocabulary: Vocabulary): Findings {
  const operation = operations[operationId];
  if (!operation) return { problems: [`${operationId} is not an operation of the public description`], unknown: [] };
  const documented = operation.responses[status];
  // For a check with 404, the description has no body. A basic error is sent there too.
  const schema = !documented && status >= 400 ? schemas['basic-error'] : documented;
  if (schema === undefined) return { problems: [`status ${status} is not documented for ${operationId}`], unknown: [] };
  if (schema === null)
    return { problems: body === undefined || body === '' ? [] : ['a body is sent where none is documented'], unknown: [] };
  const translator =
    vocabulary === 'service' ? translatorOf(schema, { words: 'vendor', operation: operationId, resolve }) : undefined;
  const value = translator ? translator.toVendor(body) : body;
  const isMeant = (pointer: string): boolean => allowsDifference({ operationId, pointer, vocabulary } satisfies SchemaLocation);
  const exact = exactEventsOf(operationId, value, schemas);
  const found = [
    ...problemsOf(schema, value),
    ...exact.flatMap((item) =>
      problemsOf(item.schema, item.value).map(({ pointer, text }) => ({ pointer: item.pointer + pointer, text })),
    ),
  ];
  const unknown = [
    ...unknownIn(value, [schema], ''),
    ...exact.flatMap((item) => [...unknownIn(item.value, [item.schema], item.pointer)]),
  ];
  return {
    problems: [
      ...new Set(found.filter(({ pointer }) => !isMeant(pointer)).map(({ pointer, text }) => `${pointer || '/'} ${text}`)),
    ],
    unknown: [...new Set(unknown)].filter((pointer) => !isMeant(pointer)),
  };
}

/** Resolves a `$ref` of the description. */
export const resolve = (reference: string): Schema | undefined => schemas[reference.replace('#/schemas/', '')];

type Problem = { pointer: string; text: string };

const base = 'public:description';
const ajv = makeAjv();
const validators = new WeakMap<object, ValidateFunction>();

function problemsOf(schema: Schema, value: unknown): Problem[] {
  const validator = validators.get(schema) ?? ajv.compile(converted(schema));
  validators.set(schema, validator);
  if (validator(value)) return [];
  return uniqueBy((validator.errors ?? []).map(problemOf), ({ pointer, text }) => `${pointer} ${text}`);
}

const uniqueBy = <T>(items: readonly T[], keyOf: (item: T) => string): T[] => [
  ...new Map(items.map((item) => [keyOf(item), item])).values(),
];

function problemOf({ instancePath, keyword, params, message = 'is wrong', data }: ErrorObject): Problem {
  if (keyword === 'required') return { pointer: `${instancePath}/${params.missingProperty}`, text: 'is missing' };
  if (keyword === 'additionalProperties')
    return { pointer: `${instancePath}/${params.additionalProperty}`, text: 'is not allowed here' };
  const allowed = keyword === 'enum' ? `: ${params.allowedValues.join(', ')}` : '';
  const found = 'found' in params ? params.found : data;
  return { pointer: instancePath, text: `${message}${allowed}, but is ${(JSON.stringify(found) ?? 'undefined').slice(0, 80)}` };
}

function makeAjv(): Ajv2020 {
  // Most validators are used a few times. Optimizing their code would take longer than it saves.
  const options = { validateSchema: false, code: { optimize: false } };
  const made = formats.default(new Ajv2020({ ...options, strict: false, allErrors: true, verbose: true, inlineRefs: false }));
  // document 1
  made.addFormat('date-time', (text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text) && !Number.isNaN(Date.parse(text)));
  made.addFormat('repo.nwo', /^[\w.-]+\/[\w.-]+$/);
  made.addKeyword({ keyword: 'alternatives', schemaType: 'array', errors: 'full', compile: compileAlternatives });
  made.addSchema({ $id: base, schemas: convertedAll(schemas) });
  return made;
}

/**
 * Replaces `anyOf` and `oneOf`, which the public description uses alike. It passes if one branch does, and otherwise reports the
 * errors of the closest branch instead of all of them.
 */
function compileAlternatives(branches: Schema[]) {
  let compiled: ValidateFunction[] | undefined; // on first use, since branches may lead back here
  const validate: { (value: unknown, context?: { instancePath: string }): boolean; errors?: ErrorObject[] } = (
    value,
    context,
  ) => {
    compiled ??= branches.map((branch) => ajv.compile({ ...branch }));
    let nearest: { errors: ErrorObject[]; distance: number } | undefined;
    for (const branch of compiled) {
      if (branch(value)) return true;
      const errors = branch.errors ?? [];
      const distance = errors.reduce(
        (sum, { instancePath, keyword }) => sum + (instancePath === '' && keyword === 'type' ? 1000 : 1),
        0,
      );
      if (!nearest || distance < nearest.distance) nearest = { errors, distance };
    }
    const at = context?.instancePath ?? '';
    // Ajv puts this keyword's own value into `data`, so the found value is stored separately.
    validate.errors = (nearest?.errors ?? []).map((error) => ({
      ...error,
      instancePath: at + error.instancePath,
      params: { found: error.data, ...error.params },
    }));
    return false;
  };
  return validate;
}

function convertedAll(all: Readonly<Record<string, unknown>>): Schema {
  return Object.fromEntries(Object.entries(all).map(([name, schema]) => [name, isSchema(schema) ? converted(schema) : schema]));
}

/** From OpenAPI 3.0 to JSON Schema: resolves references to the whole description, and converts `nullable` to a type. */
function converted(schema: Schema): Schema {
  const { nullable, discriminator: _discriminator, oneOf, anyOf, $ref, ...rest } = schema;
  const made: Record<string, unknown> = { ...rest };
  if (isSchema(rest.properties)) made.properties = convertedAll(rest.properties);
  for (const keyword of ['items', 'additionalProperties', 'not']) {
    const inner = rest[keyword];
    if (isSchema(inner)) made[keyword] = converted(inner);
  }
  if (rest.allOf !== undefined) made.allOf = schemasIn(rest.allOf).map(converted);
  const branches = [...schemasIn(oneOf), ...schemasIn(anyOf)];
  if (branches.length > 0) made.alternatives = branches.map(converted);
  if (typeof $ref === 'string') made.$ref = base + $ref;
  return nullable === true ? { alternatives: [{ type: 'null' }, made] } : made;
}

/** The combined information of schemas about the items and properties of a value. */
type Known = { items: Schema[]; properties: Map<string, Schema[]>; isOpen: boolean; isEmpty: boolean };
const knownOfOne = new WeakMap<Schema, Known>();

function knownOf(schemas: readonly Schema[]): Known {
  const [only] = schemas.length === 1 ? schemas : [];
  const kept = only && knownOfOne.get(only);
  if (kept) return kept;
  const leaves = leavesOf(schemas, resolve);
  const named = Map.groupBy(leaves.flatMap(propertiesOf), ([name]) => name);
  const known = {
    items: leaves.flatMap((leaf) => schemasIn(leaf.items)),
    properties: new Map([...named].map(([name, entries]) => [name, entries.map(([, schema]) => schema)])),
    isOpen: leaves.some((leaf) => hasFreeNames(leaf) || leaf.additionalProperties === true || freeValuesOf(leaf).length > 0),
    isEmpty: leaves.length === 0,
  };
  if (only) knownOfOne.set(only, known);
  return known;
}

function* unknownIn(value: unknown, schemas: readonly Schema[], pointer: string): Generator<string> {
  const { items, properties, isOpen, isEmpty } = knownOf(schemas);
  if (Array.isArray(value)) for (const [i, item] of value.entries()) yield* unknownIn(item, items, `${pointer}/${i}`);
  if (!isSchema(value) || isEmpty) return;
  for (const [name, inner] of Object.entries(value)) {
    const declared = properties.get(name);
    if (declared) yield* unknownIn(inner, declared, `${pointer}/${name}`);
    else if (!isOpen) yield `${pointer}/${name}`;
  }
}
