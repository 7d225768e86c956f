import type { RepositoryAction } from '#access/action.ts';
import type { Scope } from '#endpoint/scope.ts';
import { findBranchAt } from '#git/refs/refs.ts';
import { repoOf } from '#git/store.ts';
import { getCommitBySha } from '#resources/code/commits/index.ts';
import { type CheckedHead, checkingApp } from './rules.ts';
import { findSuiteOf } from './store.ts';

/**
 * The commit that an app is about to check, with its branch. Git is asked for the branch only where the app has no suite of the
 * commit yet.
 * @throws Refusal 422 where the repository has no such commit
 */
export async function findHead({ db, git }: Scope, { repo, by }: RepositoryAction, sha: string): Promise<CheckedHead> {
  const gitRepository = repoOf(git, repo.id);
  const commit = await getCommitBySha(gitRepository, sha);
  const suite = await findSuiteOf(db, { repository: repo.id, commit }, checkingApp(by));
  return { commit, branch: suite ? suite.head_branch : ((await findBranchAt(gitRepository, commit)) ?? null) };
}
