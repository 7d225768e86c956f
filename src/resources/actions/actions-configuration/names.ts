import { fixedValue } from '#lib/limits.ts';
import { invalid } from '#lib/refusal.ts';
import { vocabularies } from '#vocabulary/words.ts';
import { variableNameLimits } from './limits.ts';

const pattern = /^[A-Z_][A-Z0-9_]*$/;
const maxName = fixedValue(variableNameLimits.name);

/** The prefix of the variables that the server gives to every job, in either vocabulary. */
const reserved = vocabularies.map((word) => `${word.toUpperCase()}_`);

/** The stored form of a name: upper and lower case are the same (the public API's rule). */
export const storedName = (given: string): string => given.toUpperCase();

/** The stored form of a name. @throws Refusal 422 for an invalid name */
export function checkedName(resource: string, field: string, given: string): string {
  const name = storedName(given);
  const wrong = (message: string) => invalid(resource, field, 'invalid', message);
  if (!pattern.test(name) || name.length > maxName)
    throw wrong(`A name has 1 to ${maxName} letters of ASCII, digits and _, and doesn't begin with a digit`);
  const prefix = reserved.find((word) => name.startsWith(word));
  if (prefix) throw wrong(`A name can't begin with ${prefix}, which is for what the server gives to jobs`);
  return name;
}
