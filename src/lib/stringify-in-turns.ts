import { periodicYield } from './turns.ts';

/** The JSON of plain data, like `JSON.stringify`. Long lists are converted item by item, yielding to the event loop. */
export async function stringifyInTurns(value: unknown): Promise<string> {
  const yieldNow = periodicYield();
  const parts: string[] = [];
  const add = async (one: unknown): Promise<void> => {
    if (isLong(one)) await addItems(one);
    else if (isPlain(one) && Object.values(one).some((field) => isLong(field) || isPlain(field))) await addFields(one);
    else parts.push(JSON.stringify(one ?? null));
  };
  const addItems = async (items: readonly unknown[]): Promise<void> => {
    for (const [at, item] of items.entries()) {
      parts.push(at === 0 ? '[' : ',');
      await add(item);
      await yieldNow();
    }
    parts.push(']');
  };
  const addFields = async (fields: object): Promise<void> => {
    let separator = '{';
    for (const [name, field] of Object.entries(fields)) {
      if (field === undefined) continue;
      parts.push(`${separator}${JSON.stringify(name)}:`);
      await add(field);
      separator = ',';
    }
    parts.push(separator === '{' ? '{}' : '}');
  };
  await add(value);
  return parts.join('');
}

/** Shorter lists are converted in one step. */
const longList = 100;

const isLong = (value: unknown): value is readonly unknown[] => Array.isArray(value) && value.length > longList;

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
