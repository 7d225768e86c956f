// Values of JSON as the evaluator of expressions has them. Each object is converted once, however many expressions name it.
import { data } from '@actions/expressions';
import type { Json } from './token.ts';

const converted = new WeakMap<object, data.ExpressionData>();

export function toData(value: Json): data.ExpressionData {
  if (value === null) return new data.Null();
  if (typeof value === 'string') return new data.StringData(value);
  if (typeof value === 'number') return new data.NumberData(value);
  if (typeof value === 'boolean') return new data.BooleanData(value);
  const known = converted.get(value);
  if (known) return known;
  const made = Array.isArray(value) ? toArray(value) : toDictionary(value as { readonly [name: string]: Json });
  converted.set(value, made);
  return made;
}

function toArray(values: readonly Json[]): data.Array {
  const array = new data.Array();
  for (const value of values) array.add(toData(value));
  return array;
}

function toDictionary(values: { readonly [name: string]: Json }): data.Dictionary {
  const dictionary = new data.Dictionary();
  for (const [name, value] of Object.entries(values)) dictionary.add(name, toData(value));
  return dictionary;
}

export const fromData = (value: data.ExpressionData): Json => JSON.parse(JSON.stringify(value, data.replacer));
