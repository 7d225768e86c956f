import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

type Description = {
  webhooks: Record<string, { post: { requestBody: { content: { 'application/json': { schema: { $ref?: string } } } } } }>;
};

/** The only needed description of the package. */
const file = fileURLToPath(new URL('./generated/api.github.com.json', import.meta.resolve('@octokit/openapi-webhooks')));

const base = 'public:webhooks';
let opened: { description: Description; ajv: Ajv2020 } | undefined;
const validators = new Map<string, ValidateFunction>();

function open() {
  if (opened) return opened;
  const description: Description = JSON.parse(readFileSync(file, 'utf8'), (_, value) => nullable(value));
  const ajv = formats.default(new Ajv2020({ strict: false, allErrors: true, inlineRefs: false }));
  ajv.addSchema({ $id: base, ...description });
  opened = { description, ajv };
  return opened;
}

/** The description expresses a nullable object as one that is both an object and null, which no value is. */
function nullable(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('allOf' in value) || !('type' in value)) return value;
  const { allOf, type, ...rest } = value;
  return JSON.stringify(type) === '["null"]' ? { ...rest, anyOf: [{ allOf }, { type }] } : value;
}

/** The problems of a payload according to the public description of its event and action. An unknown event is a problem too. */
export function payloadProblems(event: string, payload: { action?: string }): string[] {
  const { description, ajv } = open();
  const name = [event, payload.action].filter(Boolean).join('-').replaceAll('_', '-');
  const reference = description.webhooks[name]?.post.requestBody.content['application/json'].schema.$ref;
  if (reference === undefined) return [`${name} is not an event of the public API`];
  const validator = validators.get(name) ?? ajv.compile({ $ref: base + reference });
  validators.set(name, validator);
  return validator(payload)
    ? []
    : (validator.errors ?? []).map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`);
}
