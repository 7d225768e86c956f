/** Makes values that follow a schema of the public description, without knowing anything of vocabularies. */

type Schema = { readonly [keyword: string]: unknown };
export type Making = {
  readonly schemas: Readonly<Record<string, Schema>>;
  /** A whole number from 0 up to a bound, which it doesn't reach. */
  readonly pick: (bound: number) => number;
  /** What stands where a schema lets any text through. */
  readonly text: () => string;
  /** What stands where a schema lets any name through. */
  readonly name: () => string;
};

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value);
const listOf = (value: unknown): Schema[] => (Array.isArray(value) ? value.filter(isSchema) : []);

const samples: Readonly<Record<string, string>> = {
  'date-time': '2026-01-02T03:04:05Z',
  date: '2026-01-02',
  uri: 'https://hearth.example/copilot',
  'uri-template': 'https://hearth.example/github{/service}',
  email: 'copilot@hearth.example',
  'repo.nwo': 'github/copilot',
};

export function generate(schema: Schema, making: Making, depth = 0): unknown {
  const { pick } = making;
  if (typeof schema.$ref === 'string')
    return generate(making.schemas[schema.$ref.replace('#/schemas/', '')] ?? {}, making, depth);
  if (schema.nullable === true && pick(4) === 0) return null;
  if (Array.isArray(schema.enum)) return schema.enum[pick(schema.enum.length)];
  const branches = [...listOf(schema.oneOf), ...listOf(schema.anyOf)].filter(
    (branch) => Object.keys(branch).join() !== 'required',
  );
  if (branches.length > 0 && !('properties' in schema)) return generate(branches[pick(branches.length)] ?? {}, making, depth);
  const parts = listOf(schema.allOf);
  if (parts.length > 0) {
    const made = parts.map((part) => generate({ ...followed(part, making), nullable: false }, making, depth));
    return made.every(isSchema) ? Object.assign({}, ...made) : made[0];
  }
  const type = Array.isArray(schema.type) ? schema.type[pick(schema.type.length)] : schema.type;
  if (type === 'object' || (type === undefined && 'properties' in schema)) return generateObject(schema, making, depth);
  if (type === 'array') return listOfItems(schema, making, depth);
  if (type === 'integer' || type === 'number')
    return Math.max(Number(schema.minimum ?? 0), Math.min(Number(schema.maximum ?? 99), pick(99)));
  if (type === 'boolean') return pick(2) === 0;
  if (type === 'null') return null;
  return (
    samples[String(schema.format)] ??
    (typeof schema.pattern === 'string' ? undefined : making.text().padEnd(Number(schema.minLength ?? 0), '.'))
  );
}

const followed = (schema: Schema, { schemas }: Making): Schema =>
  typeof schema.$ref === 'string' ? (schemas[schema.$ref.replace('#/schemas/', '')] ?? {}) : schema;

function listOfItems(schema: Schema, making: Making, depth: number): unknown[] {
  const length = Math.max(Number(schema.minItems ?? 0), depth > 5 ? 0 : making.pick(3));
  return Array.from({ length }, () => generate(isSchema(schema.items) ? schema.items : {}, making, depth + 1));
}

function generateObject(schema: Schema, making: Making, depth: number): Record<string, unknown> {
  const required = Array.isArray(schema.required) ? schema.required : [];
  const properties = Object.entries(isSchema(schema.properties) ? schema.properties : {});
  const kept = properties.filter(([name]) => required.includes(name) || (depth < 6 && making.pick(3) > 0));
  const made = kept.map(([name, inner]) => [name, generate(isSchema(inner) ? inner : {}, making, depth + 1)] as const);
  const free = isSchema(schema.additionalProperties) ? schema.additionalProperties : undefined;
  const isFree = schema.additionalProperties !== false && (free !== undefined || properties.length === 0);
  const named = isFree ? [[making.name(), generate(free ?? { type: 'string' }, making, depth + 1)] as const] : [];
  return Object.fromEntries([...named, ...made].filter(([, value]) => value !== undefined));
}
