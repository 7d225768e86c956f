import { type Plan, planOf } from './plan.ts';
import { isSchema, type Resolve, resolveWithin, type Schema } from './schema-leaves.ts';
import { type Direction, tableOf, translated } from './table.ts';
import { fieldWords, fieldWordsOfOperation, type Vocabulary } from './words.ts';

/** Translates values of a schema between the vocabularies. It returns new values. */
type Translator = {
  /** From neutral words to the public API's. */
  readonly toVendor: (value: unknown) => unknown;
  /** From either vocabulary to neutral words. */
  readonly toNeutral: (value: unknown) => unknown;
};

type TranslatorOptions = {
  /** The vocabulary of the schema. Omitted: neutral. */
  readonly words?: 'neutral' | 'vendor';
  /** The operation whose reply the schema describes, since some words differ in single operations. */
  readonly operation?: string;
  /** Resolves `$ref`s that point outside of the schema. */
  readonly resolve?: Resolve;
};

const cache = new WeakMap<object, Map<string, Translator | undefined>>();

/**
 * The translator of a schema; undefined if its values are the same in both vocabularies, so most endpoints have no overhead. Only
 * declared fields and closed sets of values are translated. Free text, and names that are data, stay unchanged. It is computed
 * once for each schema.
 *
 * @example
 * const translator = translatorOf(Type.Object({ source: OneOf(['service', 'custom']), title: Type.String() }));
 * translator?.toVendor({ source: 'service', title: 'service' }) // { source: 'github', title: 'service' }
 */
export function translatorOf(schema: object, options: TranslatorOptions = {}): Translator | undefined {
  if (!isSchema(schema)) return undefined;
  const { words = 'neutral', operation = '' } = options;
  const key = `${words} ${operation in fieldWordsOfOperation ? operation : ''}`;
  const translators = cache.get(schema) ?? new Map<string, Translator | undefined>();
  cache.set(schema, translators);
  if (!translators.has(key)) translators.set(key, makeTranslator(schema, { ...options, words, operation }));
  return translators.get(key);
}

function makeTranslator(schema: Schema, { words = 'neutral', operation, resolve }: TranslatorOptions): Translator | undefined {
  const plan = planOf(schema, { words, operation, resolve: resolve ?? resolveWithin(schema) });
  if (!plan) return undefined;
  return { toVendor: (value) => translate(value, plan, 'toVendor'), toNeutral: (value) => translate(value, plan, 'toNeutral') };
}

/** Translates a reply's body to the vocabulary. `schema` is the endpoint's, in neutral words. */
export const emitBody = (vocabulary: Vocabulary, value: unknown, schema: object, operation?: string): unknown =>
  vocabulary === 'service'
    ? value
    : (translatorOf(schema, operation === undefined ? {} : { operation })?.toVendor(value) ?? value);

/** Translates a request's body or query to neutral words. If a field is given with both names, the neutral one has precedence. */
export const neutralBody = (value: unknown, schema: object): unknown => translatorOf(schema)?.toNeutral(value) ?? value;

/** Translates a reply's body from either vocabulary to neutral words. */
export const neutralReply = (value: unknown, schema: object, operation: string): unknown =>
  translatorOf(schema, { operation })?.toNeutral(value) ?? value;

/**
 * The path of a declared field in an error (`config.url`), in the vocabulary's words.
 *
 * @example
 * emitField('github', 'registry_a_oidc_provider_name') // 'jfrog_oidc_provider_name'
 */
export const emitField = (vocabulary: Vocabulary, path: string): string =>
  vocabulary === 'service' ? path : path.replace(/\w+/g, (name) => translated(fields, 'toVendor', name));
const fields = tableOf(fieldWords);

function translate(value: unknown, plan: Plan | undefined, direction: Direction): unknown {
  if (!plan) return value;
  if (typeof value === 'string') return translated(plan.values, direction, value);
  if (Array.isArray(value)) return plan.items ? value.map((item) => translate(item, plan.items, direction)) : value;
  if (!isSchema(value)) return value; // numbers, booleans, null
  const made: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const inner = value[name];
    const neutral = plan.neutralNames.get(name);
    if (neutral !== undefined && neutral !== name && Object.hasOwn(value, neutral)) continue;
    const field = plan.fields.get(direction === 'toNeutral' ? (neutral ?? name) : name);
    if (!field) setField(made, translated(plan.names, direction, name), translate(inner, plan.under, direction));
    else setField(made, direction === 'toVendor' ? field.vendor : (neutral ?? name), translate(inner, field.plan, direction));
  }
  return made;
}

/** Sets a field of an object's own. Names may be data, and `__proto__` is one that an assignment takes for something else. */
function setField(made: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__') Object.defineProperty(made, name, { value, enumerable: true, configurable: true, writable: true });
  else made[name] = value;
}
