import type { RepositoryRow } from '#access/viewer.ts';
import { openObjects } from '#git/objects/objects.ts';
import { isOid, type Oid } from '#git/objects/oid.ts';
import { branchRef } from '#git/refs/ref-name.ts';
import { hasBranches } from '#git/refs/refs.ts';
import { findRevision } from '#git/refs/resolve.ts';
import type { GitRepository } from '#git/repo.ts';
import { conflict, type Refusal, unprocessable } from '#lib/refusal.ts';

export const emptyRepository = (): Refusal => conflict('Git Repository is empty.');

/** Whether a repository has no branches. Most endpoints that read commits or files refuse it then, each with this refusal. */
export const isEmpty = async (gitRepository: GitRepository): Promise<boolean> => !(await hasBranches(gitRepository));

type RevisionRequest = {
  repo: Pick<RepositoryRow, 'default_branch'>;
  /** A branch, a tag or a commit; the default branch where it is absent. */
  revision: string | undefined;
  /** Creates the refusal for a revision that names no commit. */
  refuse: () => Refusal;
};

/** The commit that a revision names. */
export async function getCommitOid(gitRepository: GitRepository, { repo, revision, refuse }: RevisionRequest): Promise<Oid> {
  const text = revision === undefined || revision === '' ? branchRef(repo.default_branch) : revision;
  const found = await findRevision(gitRepository, text, { peel: 'commit' });
  if (found?.type === 'commit') return found.oid;
  throw (await isEmpty(gitRepository)) ? emptyRepository() : refuse();
}

/**
 * A commit by its full name. A branch is refused: what is said of a commit must not depend on a push in between. @throws Refusal
 * 422
 */
export async function getCommitBySha(gitRepository: GitRepository, sha: string): Promise<Oid> {
  const oid = sha.toLowerCase();
  await using reader = await openObjects(gitRepository);
  if (!isOid(oid) || (await reader.findInfo(oid))?.type !== 'commit') throw unprocessable(`No commit found for SHA: ${sha}`);
  return oid;
}
