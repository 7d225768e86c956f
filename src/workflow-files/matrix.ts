import { fixedValue } from '#lib/limits.ts';
import { type Json, textOf } from './expressions.ts';
import type { Source } from './file.ts';
import { workflowFileLimits, workflowTextLimits } from './limits.ts';
import { excludedBy, idsOfValues, isMapping, MatrixProblem, type ValueIds } from './matrix-values.ts';

export { MatrixProblem } from './matrix-values.ts';

/** One combination of a matrix, which is the context `matrix` of its job. */
export type Combination = { readonly [name: string]: Json };

const maxJobs = fixedValue(workflowFileLimits.jobs);
const { matrixEntries, matrixValues, matrixBytes } = workflowTextLimits;
const maxEntries = fixedValue(matrixEntries);
const maxValues = fixedValue(matrixValues);
const maxBytes = fixedValue(matrixBytes);

/**
 * The combinations of a matrix, in the order of its lists: all except those that `exclude` names. Then each entry of `include`
 * extends the combinations whose own values it doesn't change, or becomes a separate combination (the public API's rule).
 * @throws MatrixProblem if there are no combinations, or more than 256
 */
export function combinationsOf(matrix: Json): Combination[] {
  if (!isMapping(matrix)) throw new MatrixProblem('A matrix must be a mapping of lists');
  const { include = [], exclude = [], ...lists } = matrix;
  const excluded = mappingsOf(exclude, 'exclude');
  const included = mappingsOf(include, 'include');
  const values = idsOfValues();
  const crossed = crossProduct(lists, excluded, values);
  const combinations = extend(crossed, included, values);
  if (combinations.length === 0) throw new MatrixProblem('The matrix makes no jobs');
  return combinations;
}

/** Adds the entries of `include` to the combinations of the lists. */
function extend(crossed: readonly Combination[], included: readonly Source[], values: ValueIds): Combination[] {
  const result = crossed.map((own) => ({ own: values.idsOf(own), all: new Map(Object.entries(own)) }));
  const added: Combination[] = [];
  let bytes = 0;
  const count = (mapping: Combination, times: number): void => {
    bytes += values.bytesOf(mapping) * times;
    if (bytes > maxBytes) throw new MatrixProblem(`The jobs of the matrix have values of more than ${maxBytes / 1024} KiB`);
  };
  for (const own of crossed) count(own, 1);
  for (const extra of included) {
    const ids = [...values.idsOf(extra)];
    const extended = result.filter(({ own }) => ids.every(([name, id]) => (own.get(name) ?? id) === id));
    count(extra, Math.max(extended.length, 1));
    if (extended.length === 0) added.push(extra);
    else for (const { all } of extended) for (const [name, value] of Object.entries(extra)) all.set(name, value);
    checkJobs(result.length + added.length);
  }
  return [...result.map(({ all }): Combination => Object.fromEntries(all)), ...added];
}

function checkJobs(count: number): void {
  if (count > maxJobs) throw new MatrixProblem(`The matrix makes more than ${maxJobs} jobs`);
}

/** The name of a job of a matrix, with its values in parentheses and mappings by their values (the public API's form). */
export function nameOfCombination(name: string, combination: Combination): string {
  const texts = Object.values(combination)
    .flatMap(leavesOf)
    .filter((text) => text !== '');
  return texts.length === 0 ? name : `${name} (${texts.join(', ')})`;
}

const leavesOf = (value: Json): string[] =>
  value !== null && typeof value === 'object' ? Object.values(value).flatMap(leavesOf) : [textOf(value)];

function crossProduct(lists: Source, excluded: readonly Source[], values: ValueIds): Combination[] {
  const entries = Object.entries(lists).map(([name, list]) => {
    if (!Array.isArray(list) || list.length === 0) throw new MatrixProblem(`${name} of the matrix must be a list of values`);
    return [name, list] as const;
  });
  if (entries.length === 0) return [];
  // `exclude` is applied later. A limit far above the limit on jobs keeps the product small.
  const count = entries.reduce((product, [, list]) => product * list.length, 1);
  if (count > maxCrossed) checkJobs(Number.POSITIVE_INFINITY);
  if (count * entries.length > maxValues)
    throw new MatrixProblem(`The combinations of the matrix have more than ${maxValues} values`);
  // Each combination consists of the positions of its values in their lists.
  let combinations: number[][] = [[]];
  for (const [, list] of entries) combinations = combinations.flatMap((one) => list.map((_, at) => [...one, at]));
  const isExcluded = excludedBy(excluded, entries, values);
  const left = combinations.filter((combination) => !isExcluded(combination));
  checkJobs(left.length);
  return left.map((positions) => Object.fromEntries(entries.map(([name, list], at) => [name, list[positions[at] ?? 0] ?? null])));
}

const maxCrossed = 40 * maxJobs;

function mappingsOf(entries: Json, name: string): Source[] {
  if (Array.isArray(entries) && entries.length > maxEntries)
    throw new MatrixProblem(`${name} of the matrix has more than ${maxEntries} entries`);
  if (Array.isArray(entries) && entries.every(isMapping)) return entries;
  throw new MatrixProblem(`${name} of the matrix must be a list of mappings`);
}
