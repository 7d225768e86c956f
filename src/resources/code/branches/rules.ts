import { authorize } from '#access/authorize.ts';
import { administersRepository } from '#access/policies.ts';
import type { Repo, SignedIn } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import { writeMerge } from '#git/history/merge.ts';
import { copyCommit } from '#git/objects/alternates.ts';
import type { Identity } from '#git/objects/identity.ts';
import { openObjects } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import { branchRef, shortNameOf } from '#git/refs/ref-name.ts';
import { type Branch, findBranch } from '#git/refs/refs.ts';
import { findRevision, isAncestor } from '#git/refs/resolve.ts';
import type { GitRepository } from '#git/repo.ts';
import { repoOf } from '#git/store.ts';
import type { Id } from '#lib/id.ts';
import { conflict, forbidden, Refusal, unprocessable } from '#lib/refusal.ts';
import { branchNotFound } from '#resources/code/branch-names/index.ts';
import { listProtectedNames, loadProtections } from '#resources/code/branch-protection/index.ts';
import { checkMayMove, checkRef, moveOrRefuse } from '#resources/code/git-data/index.ts';
import type { MoveScope } from '#resources/code/pushes/index.ts';
import { signedOff } from '#resources/repositories/repositories/index.ts';
import type { MergedUpstream, NewMerge } from './schemas.ts';

/** The filter of a list of branches: protected or unprotected ones. */
export async function wantedBranches(
  db: Db,
  repository: Id<'repositories'>,
  isProtected: boolean | undefined,
): Promise<{ isWanted?: (name: string) => boolean }> {
  if (isProtected === undefined) return {};
  const names = new Set(await listProtectedNames(db, repository));
  return { isWanted: (name) => names.has(shortNameOf(name)) === isProtected };
}

type BranchAction = { repo: Repo; by: SignedIn };

/**
 * Renames a branch. The former name redirects to the new one, which takes over the protection. Only administrators may rename
 * the default branch and protected ones, with credentials that may administer. The repository's default branch is updated.
 */
export async function renameBranch(scope: MoveScope, { repo, by }: BranchAction, branch: Branch, to: string): Promise<string> {
  const ref = checkRef(branchRef(to));
  const isDefault = branch.short === repo.default_branch;
  const isProtected = (await loadProtections(scope.db, repo.id, [branch.short])).size > 0;
  const administers = authorize(administersRepository, by, { repo }, { write: true }).allowed;
  if ((isDefault || isProtected) && !administers)
    throw forbidden(`You must have admin rights to rename ${isDefault ? 'the default branch' : 'a protected branch'}.`);
  if (ref === branch.name) return to;
  const following = [{ kind: 'branches.rename' as const, data: { from: branch.short, to, isDefault } }];
  await moveOrRefuse(scope, { repo, by, isRename: true, following }, [
    { ref: branch.name, from: branch.oid, to: null },
    { ref, from: null, to: branch.oid },
  ]);
  return to;
}

type MergeAction = BranchAction & { identity: Identity };

/** Merges a branch or commit into a branch; undefined if the branch contains it already. */
export async function merge(
  scope: MoveScope,
  { repo, by, identity }: MergeAction,
  { base, head, commit_message }: NewMerge,
): Promise<Oid | undefined> {
  const gitRepository = repoOf(scope.git, repo.id);
  const target = await findBranch(gitRepository, base);
  if (!target) throw new Refusal('not_found', 'Base does not exist');
  await checkMayMove(scope, { repo, by }, [target.name]);
  const theirs = await findRevision(gitRepository, head, { peel: 'commit' });
  if (theirs?.type !== 'commit') throw new Refusal('not_found', 'Head does not exist');
  if (await isAncestor(gitRepository, theirs.oid, target.oid)) return undefined;
  const message = signedOff(repo, commit_message ?? `Merge ${head} into ${base}`, identity);
  const commit = await mergeOrRefuse(gitRepository, { ours: target.oid, theirs: theirs.oid, by: identity, message });
  await moveOrRefuse(scope, { repo, by, whenRefused: 'conflict' }, [{ ref: target.name, from: target.oid, to: commit }]);
  return commit;
}

/** @throws Refusal 409 where the two conflict */
async function mergeOrRefuse(gitRepository: GitRepository, wanted: Parameters<typeof writeMerge>[1]): Promise<Oid> {
  const commit = await writeMerge(gitRepository, wanted);
  if (commit === undefined) throw conflict('Merge conflict');
  return commit;
}

type SyncAction = MergeAction & { upstream: Repo | undefined };

/** Updates a fork's branch from the branch with the same name in its parent repository. */
export async function mergeUpstream(
  scope: MoveScope,
  { repo, by, identity, upstream }: SyncAction,
  branch: string,
): Promise<MergedUpstream> {
  if (!upstream) throw unprocessable('The repository is not a fork of one that you can read');
  const gitRepository = repoOf(scope.git, repo.id);
  const source = repoOf(scope.git, upstream.id);
  const ours = await findBranch(gitRepository, branch);
  if (!ours) throw branchNotFound();
  const theirs = await findBranch(source, ours.name);
  if (!theirs) throw unprocessable(`The upstream repository has no branch ${ours.short}`);
  const reply = { base_branch: `${upstream.owner.login}:${ours.short}` };
  const isMerged = async (oid: Oid) => {
    await using reader = await openObjects(gitRepository);
    return (await reader.findInfo(oid)) !== undefined && isAncestor(gitRepository, oid, ours.oid);
  };
  if (await isMerged(theirs.oid)) return { ...reply, merge_type: 'none', message: 'This branch is not behind the upstream.' };
  await copyCommit(gitRepository, source, theirs.oid);
  const isFastForward = await isAncestor(gitRepository, ours.oid, theirs.oid);
  const message = signedOff(repo, `Merge branch '${upstream.owner.login}:${ours.short}' into ${ours.short}`, identity);
  const to = isFastForward
    ? theirs.oid
    : await mergeOrRefuse(gitRepository, { ours: ours.oid, theirs: theirs.oid, by: identity, message });
  await moveOrRefuse(scope, { repo, by, syncsUpstream: true, whenWorkflowFiles: 'invalid' }, [
    { ref: ours.name, from: ours.oid, to },
  ]);
  const merge_type = isFastForward ? 'fast-forward' : 'merge';
  return {
    ...reply,
    merge_type,
    message: `Successfully fetched and ${isFastForward ? 'fast-forwarded' : 'merged'} from upstream.`,
  };
}
