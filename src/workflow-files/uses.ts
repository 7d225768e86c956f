import type { Json } from './expressions.ts';
import { lineOf, type WorkflowFile, type WorkflowFileJob } from './file.ts';
import { findPart, itemsOf } from './token.ts';

/** The `uses` value of a step or a job, with its line. */
type Use = { readonly of: 'step' | 'job'; readonly name: string; readonly line: number };

/** All `uses` values of a file's steps and jobs. */
export const usesOf = (file: WorkflowFile): Use[] =>
  [...file.jobs.values()].flatMap((job) => [...useOf('job', job.source.uses, lineOf(job.parts)), ...stepUsesOf(job)]);

/** The `uses` values of a job's steps. */
export const stepUsesOf = ({ parts }: WorkflowFileJob): Use[] =>
  itemsOf(findPart(parts, 'steps')).flatMap((step) => {
    const used = findPart(step, 'uses');
    return used?.kind === 'scalar' ? useOf('step', used.value, lineOf(step)) : [];
  });

const useOf = (of: Use['of'], name: Json | undefined, line: number): Use[] =>
  typeof name === 'string' ? [{ of, name, line }] : [];

/** The reference to an action or a workflow of a repository. */
type NamedUse = { readonly owner: string; readonly repo: string; readonly path: string; readonly ref: string };

/** Reads `owner/repo/path@ref`; undefined for anything else. */
export function namedUse(name: string): NamedUse | undefined {
  const [, owner, repo, path = '', ref] = /^([^/@\s]+)\/([^/@\s]+)(?:\/([^@\s]+))?@(\S+)$/.exec(name) ?? [];
  return owner === undefined || repo === undefined || ref === undefined ? undefined : { owner, repo, path, ref };
}

/** The prefix of files in the same repository and commit as their run. */
const local = './';

/**
 * The name of a called workflow within a run, independent of the calling file: `./path` in the run's own commit, otherwise
 * `owner/repo/path@ref`.
 * @param from the name of the calling file; undefined for the run's file
 * @returns undefined if `uses` names no workflow
 */
export function nameOfCalled(from: string | undefined, uses: string): string | undefined {
  if (!uses.startsWith(local)) {
    const named = namedUse(uses);
    return named && `${named.owner}/${named.repo}`.toLowerCase().concat(`/${named.path}@${named.ref}`);
  }
  const caller = from === undefined ? undefined : namedUse(from);
  return caller ? `${caller.owner}/${caller.repo}/${uses.slice(local.length)}@${caller.ref}` : uses;
}
