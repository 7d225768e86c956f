// Merging the base of a pull request into its head.

import type { RepositoryAction } from '#access/action.ts';
import { authorize } from '#access/authorize.ts';
import { findRepoById } from '#access/lookup.ts';
import { writesContents } from '#access/policies.ts';
import { writeMerge } from '#git/history/merge.ts';
import { copyCommit } from '#git/objects/alternates.ts';
import type { Identity } from '#git/objects/identity.ts';
import type { Oid } from '#git/objects/oid.ts';
import { findBranch } from '#git/refs/refs.ts';
import { isAncestor } from '#git/refs/resolve.ts';
import { repoOf } from '#git/store.ts';
import { forbidden, unprocessable } from '#lib/refusal.ts';
import { moveOrRefuse } from '#resources/code/git-data/index.ts';
import { findModifiable, type MoveScope } from '#resources/code/pushes/index.ts';
import { signedOff } from '#resources/repositories/repositories/index.ts';
import type { PullRow } from './store.ts';

type UpdateAction = RepositoryAction & { identity: Identity };

/**
 * Merges the base of an open pull request into its head, where the caller may write to that: to its repository, or, if the author
 * lets maintainers modify it, to the base.
 * @throws Refusal 422 where the head isn't the one that the caller knows, has all commits, or conflicts; 403 where the caller may
 * not write
 */
export async function updateBranch(
  scope: MoveScope,
  { repo, by, identity }: UpdateAction,
  pull: PullRow,
  expected: Oid | undefined,
): Promise<void> {
  const { db, git } = scope;
  const head = pull.head_repository_id === null ? undefined : await findRepoById(db, by, pull.head_repository_id);
  if (!head || pull.state === 'closed') throw unprocessable('The head branch of the pull request can not be updated');
  const mayWrite = authorize(writesContents, by, { repo: head }, { write: true }).allowed;
  if (!mayWrite && !(await findModifiable(db, by, head, [pull.head_ref])).has(pull.head_ref))
    throw forbidden('You must have write access to the head branch of the pull request.');
  const gitRepository = repoOf(git, head.id);
  const [theirs, ours] = await Promise.all([
    findBranch(repoOf(git, repo.id), pull.base_ref),
    findBranch(gitRepository, pull.head_ref),
  ]);
  if (!theirs || !ours) throw unprocessable('The head branch of the pull request can not be updated');
  if (expected !== undefined && expected !== ours.oid) throw unprocessable("expected head sha didn't match current head ref.");
  if (head.id !== repo.id) await copyCommit(gitRepository, repoOf(git, repo.id), theirs.oid);
  if (await isAncestor(gitRepository, theirs.oid, ours.oid)) throw unprocessable('There are no new commits on the base branch.');
  const message = signedOff(head, `Merge branch '${pull.base_ref}' into ${pull.head_ref}`, identity);
  const to = await writeMerge(gitRepository, { ours: ours.oid, theirs: theirs.oid, by: identity, message });
  if (to === undefined) throw unprocessable('merge conflict between base and head');
  await moveOrRefuse(scope, { repo: head, by, whenWorkflowFiles: 'invalid' }, [{ ref: ours.name, from: ours.oid, to }]);
}
