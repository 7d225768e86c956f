import { fixedValue } from '#lib/limits.ts';
import { ExpressionProblem } from './expressions.ts';
import { partOf, type Source } from './file.ts';
import { workflowFileLimits } from './limits.ts';

const maxNames = fixedValue(workflowFileLimits.registries);

/** The environment variable of a workflow or a job that names the private registries for its jobs. */
const registriesVariable = 'PRIVATE_REGISTRIES';

/**
 * The names of the private registries that a job asks for, in upper case. The job's own list replaces the workflow's.
 * @throws ExpressionProblem for a list that is too long, or isn't plain text, since what a job gets must not depend on what an
 *   event says
 */
export function namedRegistries(file: Source, job: Source): string[] {
  const wanted = partOf(job, 'env')[registriesVariable] ?? partOf(file, 'env')[registriesVariable];
  if (wanted === undefined || wanted === null) return [];
  if (typeof wanted !== 'string' || wanted.includes('${{'))
    throw new ExpressionProblem(`${registriesVariable} has to be a text that lists names of registries, without expressions`);
  const names = [...new Set(wanted.toUpperCase().split(/[\s,]+/))].filter((name) => name !== '');
  if (names.length > maxNames) throw new ExpressionProblem(`${registriesVariable} lists more than ${maxNames} registries`);
  return names;
}
