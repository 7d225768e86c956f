import { ExpressionProblem } from './expressions.ts';
import { partOf, type Source } from './file.ts';

/** The environment variable of a workflow or a job that names the private registries for its jobs. */
const registriesVariable = 'PRIVATE_REGISTRIES';

/**
 * The names of the private registries that a job asks for, in upper case. The job's own list replaces the workflow's.
 * @throws ExpressionProblem for a list that isn't plain text, since what a job gets must not depend on what an event says
 */
export function namedRegistries(file: Source, job: Source): string[] {
  const wanted = partOf(job, 'env')[registriesVariable] ?? partOf(file, 'env')[registriesVariable];
  if (wanted === undefined || wanted === null) return [];
  if (typeof wanted !== 'string' || wanted.includes('${{'))
    throw new ExpressionProblem(`${registriesVariable} has to be a text that lists names of registries, without expressions`);
  return [...new Set(wanted.toUpperCase().split(/[\s,]+/))].filter((name) => name !== '');
}
