// The names of the jobs of a plan.

import { fixedValue } from '#lib/limits.ts';
import { type Contexts, evaluate, textOf } from './expressions.ts';
import type { WorkflowFileJob } from './file.ts';
import { workflowFileLimits } from './limits.ts';
import { type Combination, nameOfCombination } from './matrix.ts';
import { findPart } from './token.ts';

const maxName = fixedValue(workflowFileLimits.nameLength);

/** A name in its stored form, truncated to its limit. */
export const shownName = (name: string): string => name.slice(0, maxName).toWellFormed();

/** The name of a job, with the values of its matrix unless the name has expressions for them. */
export function nameOf(job: WorkflowFileJob, contexts: Contexts, combination: Combination | null): string {
  const written = findPart(job.parts, 'name');
  if (written?.kind === 'expression') return textOf(evaluate(written, contexts));
  const name = literalName(job) ?? job.id;
  return combination ? nameOfCombination(name, combination) : name;
}

/** The literal name of a job in its file; undefined if it has none, or an expression. */
export function literalName({ parts }: WorkflowFileJob): string | undefined {
  const name = findPart(parts, 'name');
  return name?.kind === 'scalar' && textOf(name.value) !== '' ? textOf(name.value) : undefined;
}
