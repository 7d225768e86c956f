import {
  freeValuesOf,
  isAnything,
  isFree,
  leavesOf,
  propertiesOf,
  type Resolve,
  type Schema,
  schemasIn,
  textsOf,
} from './schema-leaves.ts';
import { type Table, tableOf, translated } from './table.ts';
import { fieldWords, fieldWordsOfOperation, type Pair, permissionWords, valueWords } from './words.ts';

/** Where words have to be exchanged in the values of a schema. Plans may be cyclic, as schemas are. */
export type Plan = {
  /** Declared fields that are renamed or hold something to translate, by their neutral name. */
  readonly fields: Map<string, { readonly vendor: string; readonly plan: Plan | undefined }>;
  readonly neutralNames: Map<string, string>;
  /** Values of a closed set. */
  values?: Table;
  /** Names that are data, where they come from the catalogue of permissions. */
  names?: Table;
  items?: Plan;
  /** What stands under names that are data. */
  under?: Plan;
};

export type PlanOptions = {
  /** Whose words the schema is written in. */
  readonly words: 'neutral' | 'vendor';
  readonly operation?: string | undefined;
  readonly resolve: Resolve;
};

const permissions = tableOf(permissionWords);
const valueTables = new Map(Object.entries(valueWords).map(([field, pairs]) => [field, pairs]));

/** The plan of a schema, or undefined where its values look alike in both vocabularies. */
export function planOf(schema: Schema, options: PlanOptions): Plan | undefined {
  const builder = new Map<string, Plan>();
  const fields = tableOf([...fieldWords, ...(fieldWordsOfOperation[options.operation ?? ''] ?? [])]);
  const root = build([schema], '', { ...options, fields, known: builder, numbers: new Map() });
  const needed = neededOf([...builder.values()]);
  for (const plan of builder.values()) prune(plan, needed);
  return needed.has(root) ? root : undefined;
}

type Building = PlanOptions & { fields: Table; known: Map<string, Plan>; numbers: Map<Schema, number> };

/** `field` is the neutral name of the field that holds the value, or that holds the list it stands in. */
function build(schemas: readonly Schema[], field: string, building: Building): Plan {
  const leaves = leavesOf(schemas, building.resolve);
  const key = `${field}:${leaves.map((leaf) => numberOf(leaf, building.numbers)).join()}`;
  const known = building.known.get(key);
  if (known) return known;
  const plan: Plan = { fields: new Map(), neutralNames: new Map() };
  building.known.set(key, plan);

  const values = valuesOf(leaves, field, building.words);
  if (values) plan.values = values;
  const items = leaves.flatMap((leaf) => schemasIn(leaf.items));
  if (items.length > 0) plan.items = build(items, field, building);
  const free = leaves.flatMap(freeValuesOf);
  if (free.length > 0) plan.under = build(free, field === 'permissions' ? field : '', building);
  if (field === 'permissions' && leaves.some(isFree) && !leaves.some(isAnything)) plan.names = permissions;
  // Where a value may be an object of known fields or one of anybody's, nothing tells a field from data.
  if (!leaves.some(isFree)) addFields(plan, leaves, building);
  return plan;
}

function addFields(plan: Plan, leaves: readonly Schema[], building: Building): void {
  const children = Map.groupBy(leaves.flatMap(propertiesOf), ([name]) => name);
  for (const [name, entries] of children) {
    const neutral = building.words === 'neutral' ? name : translated(building.fields, 'toNeutral', name);
    const vendor = building.words === 'vendor' ? name : translated(building.fields, 'toVendor', name);
    const child = build(
      entries.map(([, schema]) => schema),
      neutral,
      building,
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

/** The words of a closed set that differ; none where the schema lets any text through, since that may be somebody's. */
function valuesOf(leaves: readonly Schema[], field: string, words: PlanOptions['words']): Table | undefined {
  const pairs = valueTables.get(field);
  if (!pairs) return undefined;
  const texts = leaves.map(textsOf);
  if (texts.some(({ open }) => open)) return undefined;
  const listed = new Set(texts.flatMap((text) => text.listed));
  const used = pairs.filter(([neutral, vendor]: Pair) => listed.has(words === 'neutral' ? neutral : vendor));
  return used.length > 0 ? tableOf(used) : undefined;
}

/** The plans that exchange something, themselves or further inside. */
function neededOf(plans: readonly Plan[]): Set<Plan> {
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
