// What a workflow file says, as plain data.
import type { EventsConfig } from '@actions/workflow-parser/model/workflow-template';
import type { Json, Token } from './token.ts';

/** What is wrong with a workflow file, and where. Lines count from 1. */
export type WorkflowProblem = { readonly message: string; readonly line: number };

/** A part of a file as it was written, its expressions not evaluated. */
export type Source = { readonly [name: string]: Json };

/** A job of a workflow file. */
export type WorkflowFileJob = {
  readonly id: string;
  readonly needs: readonly string[];
  /** Whether it calls a workflow, in the place of steps of its own. */
  readonly isCall: boolean;
  /** Its condition, with the one that holds where it says nothing of how its needs must have ended. */
  readonly condition: Token;
  /** All of its parts, by their names. */
  readonly parts: Token;
  readonly source: Source;
};

/** A workflow file that can be run. */
export type WorkflowFile = {
  readonly name: string | undefined;
  readonly events: EventsConfig;
  /** All of its parts, by their names. */
  readonly parts: Token;
  readonly source: Source;
  /** In the order of the file. Each needs only jobs that are there, and none needs itself by way of others. */
  readonly jobs: ReadonlyMap<string, WorkflowFileJob>;
};

export type ParsedWorkflow = { readonly file: WorkflowFile } | { readonly problems: readonly WorkflowProblem[] };

/** Where workflow files are: the neutral folder, and that of the public API. Both are read in both vocabularies. */
export const workflowFolders = ['.service/workflows', '.github/workflows'] as const;

export const isWorkflowPath = (path: string): boolean =>
  workflowFolders.some((folder) => path.startsWith(`${folder}/`) && /^[^/]+\.ya?ml$/.test(path.slice(folder.length + 1)));

/** A part of a mapping of a file that is itself a mapping; an empty one where there is none. */
export function partOf(source: Source, name: string): Source {
  const part = source[name];
  return part !== null && typeof part === 'object' && !Array.isArray(part) ? (part as Source) : {};
}

/** The line of a part of a file, from 1. */
export const lineOf = (token: Token | undefined): number => token?.line ?? 1;
