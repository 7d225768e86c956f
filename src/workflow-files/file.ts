// The contents of a workflow file, as plain data.
import type { EventsConfig } from '@actions/workflow-parser/model/workflow-template';
import type { Json, Token } from './token.ts';

/** A problem of a workflow file, with its line, counted from 1. */
export type WorkflowProblem = { readonly message: string; readonly line: number };

/** A part of a file in its source form, with unevaluated expressions. */
export type Source = { readonly [name: string]: Json };

/** A job of a workflow file. */
export type WorkflowFileJob = {
  readonly id: string;
  readonly needs: readonly string[];
  /** Whether it calls a workflow instead of having steps. */
  readonly isCall: boolean;
  /** Its condition. If it doesn't check the status of its needs, the default check is added. */
  readonly condition: Token;
  /** All of its parts, by name. */
  readonly parts: Token;
  readonly source: Source;
};

/** A valid workflow file. */
export type WorkflowFile = {
  readonly name: string | undefined;
  readonly events: EventsConfig;
  /** All of its parts, by name. */
  readonly parts: Token;
  readonly source: Source;
  /** In the order of the file. Each job needs only existing jobs, and there are no cycles. */
  readonly jobs: ReadonlyMap<string, WorkflowFileJob>;
};

export type ParsedWorkflow = { readonly file: WorkflowFile } | { readonly problems: readonly WorkflowProblem[] };

/** The folders of workflow files: the neutral one and the public API's. Both vocabularies read both. */
export const workflowFolders = ['.service/workflows', '.github/workflows'] as const;

export const isWorkflowPath = (path: string): boolean =>
  workflowFolders.some((folder) => path.startsWith(`${folder}/`) && /^[^/]+\.ya?ml$/.test(path.slice(folder.length + 1)));

/** The path that stands for the file of a workflow that the server writes (the public API's form). */
export const dynamicPath = (name: string): string => `dynamic/${name}`;

/** Required workflows, whose paths start with the name of a repository, have a ref or commit after an `@`. */
export const isDynamicPath = (path: string): boolean => path.startsWith('dynamic/') && !path.includes('@');

/** A part of a mapping that is itself a mapping; empty if it is missing. */
export function partOf(source: Source, name: string): Source {
  const part = source[name];
  return part !== null && typeof part === 'object' && !Array.isArray(part) ? (part as Source) : {};
}

/** The line of a part of a file, from 1. */
export const lineOf = (token: Token | undefined): number => token?.line ?? 1;
