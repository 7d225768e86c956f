// What `effects.json` says: which tests show the effects of writable fields and of operations.
import { readFileSync } from 'node:fs';

type Effects = { readonly [family: string]: { readonly [test: string]: readonly string[] } };

/** By family, the tests of its fields and operations, each as `file › name`. The ids of operations have a slash. */
const effects: Effects = JSON.parse(readFileSync(new URL('effects.json', import.meta.url), 'utf8'));

/** A field or an operation of a family, with a test. */
export type NamedEffect = { readonly family: string; readonly place: string; readonly what: string };

const named: NamedEffect[] = Object.entries(effects).flatMap(([family, tests]) =>
  Object.entries(tests).flatMap(([place, all]) => all.map((what) => ({ family, place, what }))),
);
const isOperation = ({ what }: NamedEffect): boolean => what.includes('/');

export const namedFields: readonly NamedEffect[] = named.filter((one) => !isOperation(one));
export const namedOperations: readonly NamedEffect[] = named.filter(isOperation);

/** The file and the name of a test. */
export function testOf({ place }: Pick<NamedEffect, 'place'>): { file: string; name: string } {
  const [file = '', name = ''] = place.split(' › ');
  return { file, name };
}
