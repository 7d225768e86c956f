// The refs of pull requests, which everybody can fetch and nobody can push: refs/pull/<number>/head and refs/pull/<number>/merge.
import type { Oid } from '#git/objects/oid.ts';
import { mustUpdateRefs } from '#git/refs/update-refs.ts';
import type { GitRepository } from '#git/repo.ts';

export const headRef = (number: number): string => `refs/pull/${number}/head`;
export const mergeRef = (number: number): string => `refs/pull/${number}/merge`;

/** Points the ref of a pull request's head to its commit, which the repository has. */
export const writeHeadRef = (
  gitRepository: GitRepository,
  { number, head_sha }: { number: number; head_sha: Oid },
): Promise<void> => mustUpdateRefs(gitRepository, [{ ref: headRef(number), to: head_sha }]);
