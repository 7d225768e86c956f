// Values of expressions: what they are as texts and numbers, and what they hold (the rules of those who defined the format).
import type { ExpressionBudget, Properties } from './expression-budget.ts';
import type { Json } from './token.ts';

type List = readonly Json[];
type Mapping = { readonly [name: string]: Json };
type Primitive = string | number | boolean | null;

export const isPrimitive = (value: Json): value is Primitive => value === null || typeof value !== 'object';

// TypeScript doesn't narrow read-only lists by itself.
export const isList = (value: Json): value is List => Array.isArray(value);

/** What counts as true in expressions. */
export const isTrue = (value: Json): boolean =>
  value !== false && value !== 0 && value !== '' && value !== null && !Number.isNaN(value);

/** A value as functions read it as a text. */
export function valueText(value: Json): string {
  if (typeof value === 'string') return value;
  if (value === null) return '';
  if (typeof value === 'number') return numberText(value);
  if (typeof value === 'boolean') return String(value);
  return isList(value) ? 'Array' : 'Object';
}

/** At most 15 digits behind the point, without zeros at the end. */
const numberText = (value: number): string => (value === 0 ? '0' : String(Number(value.toFixed(15))));

/** A value as a number. Lists and mappings are none. */
export const valueNumber = (value: Json): number => (isPrimitive(value) ? Number(value) : Number.NaN);

/** A text in upper case, for comparisons. The dotless i stays as it is. */
export function upperCase(text: string, budget: ExpressionBudget): string {
  // To turn a character costs about as much as to read two.
  budget.readCharacters(2 * text.length);
  return text.includes('ı') ? text.replace(/[^ı]+/g, (part) => part.toUpperCase()) : text.toUpperCase();
}

/** The properties of a mapping by their names in lower case. Of two names that differ in case alone, the first counts. */
export function propertiesOf(mapping: Mapping, budget: ExpressionBudget): Properties {
  const known = budget.known.get(mapping);
  if (known) return known;
  const properties = new Map<string, Json>();
  for (const [name, value] of Object.entries(mapping)) {
    budget.spendSteps(1);
    budget.readCharacters(name.length);
    const key = name.toLowerCase();
    if (!properties.has(key)) properties.set(key, value);
  }
  budget.known.set(mapping, properties);
  return properties;
}
