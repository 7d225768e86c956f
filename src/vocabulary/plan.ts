import {
  freeValuesOf,
  hasFreeNames,
  isAnything,
  leavesOf,
  propertiesOf,
  type Resolve,
  type Schema,
  schemasIn,
  textsOf,
} from './schema-leaves.ts';
import { type Table, tableOf, translated } from './table.ts';
import { fieldWords, fieldWordsOfOperation, type Pair, permissionWords, valueWords } from './words.ts';

/** The parts of a schema's values that must be translated. Like schemas, plans may be cyclic. */
export type Plan = {
  /** Declared fields that are renamed or contain something to translate, by their neutral names. */
  readonly fields: Map<string, { readonly vendor: string; readonly plan: Plan | undefined }>;
  readonly neutralNames: Map<string, string>;
  /** Values of a closed set. */
  values?: Table;
  /** Translations of field names that are data, such as permissions. */
  names?: Table;
  items?: Plan;
  /** The plan of values whose field names are data. */
  under?: Plan;
};

type PlanOptions = {
  /** The vocabulary of the schema. */
  readonly words: 'neutral' | 'vendor';
  readonly operation?: string | undefined;
  readonly resolve: Resolve;
};

const permissions = tableOf(permissionWords);
const valueTables = new Map(Object.entries(valueWords).map(([field, pairs]) => [field, pairs]));

/** The plan of a schema; undefined if both vocabularies have the same values. */
export function planOf(schema: Schema, options: PlanOptions): Plan | undefined {
  const builder = new Map<string, Plan>();
  const fields = tableOf([...fieldWords, ...(fieldWordsOfOperation[options.operation ?? ''] ?? [])]);
  const root = build([schema], '', { ...options, fields, known: builder, numbers: new Map() });
  const needed = plansWithChanges([...builder.values()]);
  for (const plan of builder.values()) prune(plan, needed);
  return needed.has(root) ? root : undefined;
}

type PlanBuilder = PlanOptions & { fields: Table; known: Map<string, Plan>; numbers: Map<Schema, number> };

/** `field` is the neutral name of the field that holds the value, or the list that contains it. */
function build(schemas: readonly Schema[], field: string, builder: PlanBuilder): Plan {
  const leaves = leavesOf(schemas, builder.resolve);
  const key = `${field}:${leaves.map((leaf) => numberOf(leaf, builder.numbers)).join()}`;
  const known = builder.known.get(key);
  if (known) return known;
  const plan: Plan = { fields: new Map(), neutralNames: new Map() };
  builder.known.set(key, plan);

  const values = valuesOf(leaves, field, builder.words);
  if (values) plan.values = values;
  const items = leaves.flatMap((leaf) => schemasIn(leaf.items));
  if (items.length > 0) plan.items = build(items, field, builder);
  const free = leaves.flatMap(freeValuesOf);
  if (free.length > 0) plan.under = build(free, field === 'permissions' ? field : '', builder);
  if (field === 'permissions' && leaves.some(hasFreeNames) && !leaves.some(isAnything)) plan.names = permissions;
  // If a value may be an object of declared fields or one with arbitrary names, fields can't be distinguished from data.
  if (!leaves.some(hasFreeNames)) addFields(plan, leaves, builder);
  return plan;
}

function addFields(plan: Plan, leaves: readonly Schema[], builder: PlanBuilder): void {
  const children = Map.groupBy(leaves.flatMap(propertiesOf), ([name]) => name);
  for (const [name, entries] of children) {
    const neutral = builder.words === 'neutral' ? name : translated(builder.fields, 'toNeutral', name);
    const vendor = builder.words === 'vendor' ? name : translated(builder.fields, 'toVendor', name);
    const child = build(
      entries.map(([, schema]) => schema),
      neutral,
      builder,
    );
    plan.fields.set(neutral, { vendor, plan: child });
    plan.neutralNames.set(vendor, neutral);
  }
}

function numberOf(schema: Schema, numbers: Map<Schema, number>): number {
  const number = numbers.get(schema) ?? numbers.size;
  numbers.set(schema, number);
  return number;
}

/** The words of a closed set that differ; undefined if the schema allows any text, which may be user data. */
function valuesOf(leaves: readonly Schema[], field: string, words: PlanOptions['words']): Table | undefined {
  const pairs = valueTables.get(field);
  if (!pairs) return undefined;
  const texts = leaves.map(textsOf);
  if (texts.some(({ open }) => open)) return undefined;
  const listed = new Set(texts.flatMap((text) => text.listed));
  const used = pairs.filter(([neutral, vendor]: Pair) => listed.has(words === 'neutral' ? neutral : vendor));
  return used.length > 0 ? tableOf(used) : undefined;
}

/** The plans that translate something, themselves or in their children. */
function plansWithChanges(plans: readonly Plan[]): Set<Plan> {
  const needed = new Set(
    plans.filter((plan) => plan.values || plan.names || [...plan.fields].some(([neutral, { vendor }]) => neutral !== vendor)),
  );
  for (let size = -1; size !== needed.size; ) {
    size = needed.size;
    for (const plan of plans) {
      const inside = [plan.items, plan.under, ...[...plan.fields.values()].map((field) => field.plan)];
      if (inside.some((child) => child && needed.has(child))) needed.add(plan);
    }
  }
  return needed;
}

function prune(plan: Plan, needed: ReadonlySet<Plan>): void {
  if (plan.items && !needed.has(plan.items)) delete plan.items;
  if (plan.under && !needed.has(plan.under)) delete plan.under;
  for (const [neutral, field] of plan.fields) {
    const inside = field.plan && needed.has(field.plan) ? field.plan : undefined;
    if (inside || neutral !== field.vendor || plan.under || plan.names) plan.fields.set(neutral, { ...field, plan: inside });
    else {
      plan.fields.delete(neutral);
      plan.neutralNames.delete(field.vendor);
    }
  }
}
