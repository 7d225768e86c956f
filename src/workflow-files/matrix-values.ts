// The values of a matrix, compared by ids: equal values have the same id.

import { fixedValue } from '#lib/limits.ts';
import type { Json } from './expressions.ts';
import type { Source } from './file.ts';
import { workflowTextLimits } from './limits.ts';

/** A matrix that results in no jobs, or too many. */
export class MatrixProblem extends Error {}

export type ValueIds = {
  idOf(value: Json): number;
  idsOf(mapping: Source): ReadonlyMap<string, number>;
  /** The approximate bytes of a mapping as JSON. */
  bytesOf(mapping: Source): number;
};

/** The maximum nesting of values. */
const maxDepth = 100;

export function idsOfValues(): ValueIds {
  const texts = new Map<Json, string>();
  const ids = new Map<string, number>();
  const textOf = (value: Json): string => {
    const known = typeof value === 'object' && value !== null ? texts.get(value) : undefined;
    if (known !== undefined) return known;
    const text = canonicalText(value, 0);
    if (typeof value === 'object' && value !== null) texts.set(value, text);
    return text;
  };
  const idOf = (value: Json): number => {
    const text = textOf(value);
    const id = ids.get(text) ?? ids.size;
    ids.set(text, id);
    return id;
  };
  return {
    idOf,
    idsOf: (mapping) => new Map(Object.entries(mapping).map(([name, value]) => [name, idOf(value)])),
    bytesOf: (mapping) => Object.entries(mapping).reduce((sum, [name, value]) => sum + name.length + textOf(value).length, 0),
  };
}

/** A text that is equal for equal values, since the keys of mappings have no order. */
function canonicalText(value: Json, depth: number): string {
  if (depth > maxDepth) throw new MatrixProblem(`The matrix has more than ${maxDepth} levels of values`);
  if (Array.isArray(value)) return `[${value.map((one) => canonicalText(one, depth + 1)).join(',')}]`;
  if (!isMapping(value)) return JSON.stringify(value);
  const entries = Object.keys(value).sort();
  return `{${entries.map((name) => `${JSON.stringify(name)}:${canonicalText(value[name] ?? null, depth + 1)}`).join(',')}}`;
}

type Lists = readonly (readonly [name: string, values: readonly Json[]])[];

const maxSteps = fixedValue(workflowTextLimits.matrixSteps);

/**
 * Returns a function that says whether `exclude` removes a combination, given by the positions of its values. Each entry is
 * indexed by its list with the fewest matching values.
 */
export function excludedBy(
  entries: readonly Source[],
  lists: Lists,
  values: ValueIds,
): (positions: readonly number[]) => boolean {
  const fitting = fittingIndexes(lists, values);
  const names = new Set(lists.map(([name]) => name));
  /** The values that entries exclude, by list and position. */
  const found = lists.map(() => new Map<number, Wanted[]>());
  for (const entry of entries) {
    if (Object.keys(entry).some((name) => !names.has(name))) continue;
    const wanted = lists.map(([name], list) => (Object.hasOwn(entry, name) ? fitting(list, entry[name] ?? null) : undefined));
    const fewest = wanted.reduce(
      (least, set) => (set && set.size < (least?.size ?? Number.POSITIVE_INFINITY) ? set : least),
      undefined,
    );
    if (!fewest) return () => true; // it excludes nothing specific
    const list = wanted.indexOf(fewest);
    for (const position of fewest) {
      const there = found[list]?.get(position);
      if (there) there.push(wanted);
      else found[list]?.set(position, [wanted]);
    }
  }
  return (positions) => {
    const fits = (wanted: Wanted): boolean => wanted.every((set, list) => !set || set.has(positions[list] ?? 0));
    return positions.some((position, list) => found[list]?.get(position)?.some(fits));
  };
}

/** For each list, the matching positions; undefined if all match. */
type Wanted = readonly (ReadonlySet<number> | undefined)[];

/** The positions of a list's values that match a value of an entry, each computed once. */
function fittingIndexes(lists: Lists, values: ValueIds): (list: number, wanted: Json) => ReadonlySet<number> {
  const byId = lists.map(([, list]) => Map.groupBy(list.keys(), (position) => values.idOf(list[position] ?? null)));
  const known = new Map<string, ReadonlySet<number>>();
  const steps = { left: maxSteps };
  return (list, wanted) => {
    const id = values.idOf(wanted);
    const key = `${list} ${id}`;
    const before = known.get(key);
    if (before) return before;
    const all = lists[list]?.[1] ?? [];
    const positions = isMapping(wanted)
      ? [...all.keys()].filter((position) => fitsPartly(wanted, all[position], { values, steps }))
      : (byId[list]?.get(id) ?? []);
    const result = new Set(positions);
    known.set(key, result);
    return result;
  };
}

type Comparison = { readonly values: ValueIds; readonly steps: { left: number } };

/** Whether a value matches a value of `exclude`. For mappings, some of their values may be given. */
function fitsPartly(wanted: Json, found: Json | undefined, comparison: Comparison): boolean {
  comparison.steps.left -= 1;
  if (comparison.steps.left < 0) throw new MatrixProblem('exclude of the matrix takes too many comparisons');
  if (!isMapping(wanted)) return found !== undefined && comparison.values.idOf(wanted) === comparison.values.idOf(found);
  return (
    isMapping(found) &&
    Object.entries(wanted).every(([name, value]) =>
      fitsPartly(value, Object.hasOwn(found, name) ? found[name] : undefined, comparison),
    )
  );
}

export const isMapping = (value: Json | undefined): value is Source =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
