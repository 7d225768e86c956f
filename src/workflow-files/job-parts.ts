// Values of a job's parts: where it runs, and the environment that it enters.

import { fixedValue } from '#lib/limits.ts';
import { ExpressionProblem, type Json, textOf } from './expressions.ts';
import { workflowFileLimits } from './limits.ts';
import { findPart, type Token } from './token.ts';

const maxLabels = fixedValue(workflowFileLimits.labels);

/**
 * The labels or the group that `runs-on` names: a label, a list of labels, or a group with or without labels.
 * @throws ExpressionProblem if there are too many
 */
export function runsOnOf(value: Json, line: number): { labels: string[]; group: string | null } {
  if (typeof value === 'string') return { labels: [value], group: null };
  if (Array.isArray(value)) {
    if (value.length > maxLabels) throw new ExpressionProblem(`A job asks for at most ${maxLabels} labels of its runner`, line);
    return { labels: value.map(textOf), group: null };
  }
  const { group, labels = [] } = (value ?? {}) as { group?: string; labels?: Json };
  return { labels: runsOnOf(labels, line).labels, group: group ?? null };
}

/**
 * The name of a job's environment. Its address may use outputs of steps, which only the runner knows, so the runner evaluates it.
 */
export const nameOfEnvironment = (token: Token | undefined): Token | undefined =>
  token?.kind === 'mapping' ? findPart(token, 'name') : token;

export const environmentOf = (name: Json): { readonly name: string } | null =>
  textOf(name) === '' ? null : { name: textOf(name) };
