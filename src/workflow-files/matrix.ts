import { isDeepStrictEqual } from 'node:util';
import { fixedValue, limitTable } from '#lib/limits.ts';
import { type Json, textOf } from './expressions.ts';
import type { Source } from './parse.ts';

/** A matrix that makes no jobs, or too many. */
export class MatrixProblem extends Error {}

/** One combination of a matrix: what the context `matrix` of its job holds. */
export type Combination = { readonly [name: string]: Json };

const maxJobs = fixedValue(limitTable.workflows.jobs);

/**
 * The combinations of a matrix, in the order of its lists: all of them without those that `exclude` names; then each entry of `include`
 * extends the combinations whose own values it doesn't change, or is a combination of its own (the public API's rule).
 * @throws MatrixProblem where there is none, or more than 256
 */
export function combinationsOf(matrix: Json): Combination[] {
  if (!isMapping(matrix)) throw new MatrixProblem('A matrix must be a mapping of lists');
  const { include = [], exclude = [], ...lists } = matrix;
  const crossed = crossProduct(lists).filter(
    (combination) => !mappingsOf(exclude, 'exclude').some((one) => fits(one, combination)),
  );
  const result = crossed.map((own) => ({ own, all: own }));
  const added: Combination[] = [];
  for (const extra of mappingsOf(include, 'include')) {
    const extended = result.filter(({ own }) =>
      Object.entries(extra).every(([name, value]) => !(name in own) || isDeepStrictEqual(own[name], value)),
    );
    if (extended.length === 0 || crossed.length === 0) added.push(extra);
    else for (const one of extended) one.all = { ...one.all, ...extra };
  }
  const combinations = [...result.map(({ all }) => all), ...added];
  if (combinations.length === 0) throw new MatrixProblem('The matrix makes no jobs');
  if (combinations.length > maxJobs) throw new MatrixProblem(`The matrix makes more than ${maxJobs} jobs`);
  return combinations;
}

/** The name of a job of a matrix: its values in brackets, mappings by their values (the public API's form). */
export function nameOfCombination(name: string, combination: Combination): string {
  const texts = Object.values(combination)
    .flatMap(leavesOf)
    .filter((text) => text !== '');
  return texts.length === 0 ? name : `${name} (${texts.join(', ')})`;
}

const leavesOf = (value: Json): string[] =>
  value !== null && typeof value === 'object' ? Object.values(value).flatMap(leavesOf) : [textOf(value)];

function crossProduct(lists: Source): Combination[] {
  const entries = Object.entries(lists);
  if (entries.length === 0) return [];
  let combinations: Combination[] = [{}];
  for (const [name, values] of entries) {
    if (!Array.isArray(values) || values.length === 0) throw new MatrixProblem(`${name} of the matrix must be a list of values`);
    // What `exclude` takes away comes later; a bound far above that of jobs keeps the product small.
    if (combinations.length * values.length > maxCrossed) throw new MatrixProblem(`The matrix makes more than ${maxJobs} jobs`);
    combinations = combinations.flatMap((one) => values.map((value: Json) => ({ ...one, [name]: value })));
  }
  return combinations;
}

const maxCrossed = 40 * maxJobs;

/** Whether a combination has all values of an entry of `exclude`; those of mappings may be named in part. */
const fits = (wanted: Json, found: Json | undefined): boolean =>
  isMapping(wanted)
    ? isMapping(found) && Object.entries(wanted).every(([name, value]) => fits(value, found[name]))
    : isDeepStrictEqual(wanted, found);

function mappingsOf(entries: Json, name: string): Source[] {
  if (Array.isArray(entries) && entries.every(isMapping)) return entries;
  throw new MatrixProblem(`${name} of the matrix must be a list of mappings`);
}

const isMapping = (value: Json | undefined): value is Source =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
