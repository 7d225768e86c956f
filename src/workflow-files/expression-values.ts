// Values of expressions: conversion to texts and numbers, and their properties (by the rules of the format's authors).
import type { ExpressionBudget, Properties } from './expression-budget.ts';
import type { Json } from './token.ts';

type List = readonly Json[];
type Mapping = { readonly [name: string]: Json };
type Primitive = string | number | boolean | null;

export const isPrimitive = (value: Json): value is Primitive => value === null || typeof value !== 'object';

// TypeScript doesn't narrow read-only lists itself.
export const isList = (value: Json): value is List => Array.isArray(value);

/** Whether a value counts as true in expressions. */
export const isTrue = (value: Json): boolean =>
  value !== false && value !== 0 && value !== '' && value !== null && !Number.isNaN(value);

/** A value, converted to a text for functions. */
export function valueText(value: Json): string {
  if (typeof value === 'string') return value;
  if (value === null) return '';
  if (typeof value === 'number') return numberText(value);
  if (typeof value === 'boolean') return String(value);
  return isList(value) ? 'Array' : 'Object';
}

/** At most 15 digits after the decimal point, without trailing zeros. */
const numberText = (value: number): string => (value === 0 ? '0' : String(Number(value.toFixed(15))));

/** A value as a number. Lists and mappings are NaN. */
export const valueNumber = (value: Json): number => (isPrimitive(value) ? Number(value) : Number.NaN);

/** A text in upper case, for comparisons. The dotless i stays unchanged. */
export function upperCase(text: string, budget: ExpressionBudget): string {
  // Converting a character costs about as much as reading two.
  budget.readCharacters(2 * text.length);
  return text.includes('ı') ? text.replace(/[^ı]+/g, (part) => part.toUpperCase()) : text.toUpperCase();
}

/** The properties of a mapping, by lower-case name. If two names differ only in case, the first counts. */
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
