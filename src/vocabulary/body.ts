import { type Plan, planOf } from './plan.ts';
import { isSchema, type Resolve, resolveWithin, type Schema } from './schema-leaves.ts';
import { type Direction, tableOf, translated } from './table.ts';
import { fieldWords, fieldWordsOfOperation, type Vocabulary } from './words.ts';

/** Exchanges the words of values that follow one schema. Values are never changed in place. */
export type Translator = {
  /** From the documents' words into the public API's. */
  readonly toVendor: (value: unknown) => unknown;
  /** From either vocabulary into the documents' words. */
  readonly toNeutral: (value: unknown) => unknown;
};

export type TranslatorOptions = {
  /** Whose words the schema is written in: the documents', unless told otherwise. */
  readonly words?: 'neutral' | 'vendor';
  /** The operation whose reply the schema describes, since a few words differ in the replies of one operation alone. */
  readonly operation?: string;
  /** What a `$ref` means, where it doesn't point into the schema itself. */
  readonly resolve?: Resolve;
};

const known = new WeakMap<object, Map<string, Translator | undefined>>();

/**
 * The translator of a schema, or undefined where its values look alike in both vocabularies, so that most endpoints pay
 * nothing. Only declared fields and closed sets of values are exchanged: free text and names that are data stay. Worked out
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
  const translators = known.get(schema) ?? new Map<string, Translator | undefined>();
  known.set(schema, translators);
  if (!translators.has(key)) translators.set(key, makeTranslator(schema, { ...options, words, operation }));
  return translators.get(key);
}

function makeTranslator(schema: Schema, { words = 'neutral', operation, resolve }: TranslatorOptions): Translator | undefined {
  const plan = planOf(schema, { words, operation, resolve: resolve ?? resolveWithin(schema) });
  if (!plan) return undefined;
  return { toVendor: (value) => walk(value, plan, 'toVendor'), toNeutral: (value) => walk(value, plan, 'toNeutral') };
}

/** A reply's body as the vocabulary writes it. `schema` is the one that the endpoint declares, in the documents' words. */
export const emitBody = (vocabulary: Vocabulary, value: unknown, schema: object, operation?: string): unknown =>
  vocabulary === 'service'
    ? value
    : (translatorOf(schema, operation === undefined ? {} : { operation })?.toVendor(value) ?? value);

/** A request's body, or its query, in the documents' words. Where both words for one field are given, the neutral one holds. */
export const neutralBody = (value: unknown, schema: object): unknown => translatorOf(schema)?.toNeutral(value) ?? value;

/** A reply's body in the documents' words, whichever vocabulary it was written in. */
export const neutralReply = (value: unknown, schema: object, operation: string): unknown =>
  translatorOf(schema, { operation })?.toNeutral(value) ?? value;

/**
 * The path of a declared field, as an error names it (`config.url`), in the vocabulary's words.
 *
 * @example
 * emitField('github', 'registry_a_oidc_provider_name') // 'jfrog_oidc_provider_name'
 */
export const emitField = (vocabulary: Vocabulary, path: string): string =>
  vocabulary === 'service' ? path : path.replace(/\w+/g, (name) => translated(fields, 'toVendor', name));
const fields = tableOf(fieldWords);

function walk(value: unknown, plan: Plan | undefined, direction: Direction): unknown {
  if (!plan) return value;
  if (typeof value === 'string') return translated(plan.values, direction, value);
  if (Array.isArray(value)) return plan.items ? value.map((item) => walk(item, plan.items, direction)) : value;
  if (!isSchema(value)) return value; // numbers, booleans, null
  const entries: [string, unknown][] = [];
  for (const [name, inner] of Object.entries(value)) {
    const neutral = plan.neutralNames.get(name);
    if (neutral !== undefined && neutral !== name && Object.hasOwn(value, neutral)) continue;
    const field = plan.fields.get(direction === 'toNeutral' ? (neutral ?? name) : name);
    if (!field) entries.push([translated(plan.names, direction, name), walk(inner, plan.under, direction)]);
    else entries.push([direction === 'toVendor' ? field.vendor : (neutral ?? name), walk(inner, field.plan, direction)]);
  }
  return Object.fromEntries(entries);
}
