// Concurrency groups in workflow files.

import { fixedValue } from '#lib/limits.ts';
import { type Contexts, ExpressionProblem, evaluate, type Json, textOf } from './expressions.ts';
import type { WorkflowFile } from './file.ts';
import { workflowFileLimits } from './limits.ts';
import { findPart, type Token } from './token.ts';

/** A concurrency group that a run or a job is in. */
export type Concurrency = { readonly group: string; readonly cancelsInProgress: boolean };

/**
 * The membership of a call in a concurrency group: all jobs of the called workflow wait for it together, and hold it until they
 * end.
 */
export type Lease = Concurrency & {
  /** For example `deploy:1` for the group that the calling job names, and `deploy:1/` for the one that the called file names. */
  readonly key: string;
  /** The name of the calling job. */
  readonly name: string;
};

/** The state of a lease: whether it is the call's turn, and whether another call has cancelled it. */
export type LeaseState = { readonly isHeld: boolean; readonly isCancelled: boolean };

/** The names of groups, in the form for comparison. */
export const namesOf = (...concurrency: readonly (Concurrency | null)[]): string[] =>
  concurrency.flatMap((one) => one?.group.toLowerCase() ?? []);

/** The concurrency group of a whole file. @throws ExpressionProblem */
export const concurrencyOfFile = ({ parts }: WorkflowFile, contexts: Contexts): Concurrency | null =>
  concurrencyIn(findPart(parts, 'concurrency'), contexts);

/** The concurrency group of a part of a file. @throws ExpressionProblem */
export const concurrencyIn = (token: Token | undefined, contexts: Contexts): Concurrency | null =>
  token ? concurrencyOf(evaluate(token, contexts)) : null;

/** Refuses a group that an outer call or the run is already in, since it would wait for itself. */
export function checkGroups(wanted: readonly string[], groups: readonly string[], line: number): void {
  const own = wanted.find((name) => groups.includes(name));
  if (own !== undefined)
    throw new ExpressionProblem(`The concurrency group ${own} is held by the run, or by a call that leads to this job`, line);
}

/** A concurrency group: its name, or a mapping. @throws ExpressionProblem for a name that is too long */
function concurrencyOf(value: Json): Concurrency | null {
  if (value === null || value === '') return null;
  if (typeof value !== 'object') return groupOf(textOf(value), false);
  const { group = null, 'cancel-in-progress': cancels = false } = value as { group?: Json; 'cancel-in-progress'?: Json };
  return groupOf(textOf(group), cancels === true);
}

const maxGroupName = fixedValue(workflowFileLimits.groupName);

function groupOf(group: string, cancelsInProgress: boolean): Concurrency | null {
  if (group.length > maxGroupName)
    throw new ExpressionProblem(`The name of a concurrency group has at most ${maxGroupName} characters`, undefined);
  return group === '' ? null : { group, cancelsInProgress };
}
