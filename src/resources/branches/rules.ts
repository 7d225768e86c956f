import { reaches } from '#access/roles.ts';
import type { Repo, SignedIn } from '#access/viewer.ts';
import { record } from '#events/record.ts';
import { inRepository } from '#events/scope.ts';
import { writeMerge } from '#git/history/merge.ts';
import { copyCommit } from '#git/objects/alternates.ts';
import type { Identity } from '#git/objects/identity.ts';
import { openObjects } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import { branchRef } from '#git/refs/ref-name.ts';
import { type Branch, findBranch } from '#git/refs/refs.ts';
import { findRevision, isAncestor } from '#git/refs/resolve.ts';
import type { Repo as Disk } from '#git/repo.ts';
import { repoOf } from '#git/store.ts';
import { conflict, forbidden, Refusal, unprocessable } from '#lib/refusal.ts';
import { checkMayMove, checkRef, moveOrRefuse } from '#resources/git-data/index.ts';
import type { PushContext } from '#resources/pushes/index.ts';
import type { MergedUpstream, NewMerge } from './schemas.ts';
import { insertRename } from './store.ts';

export const branchNotFound = (): Refusal => new Refusal('not_found', 'Branch not found');

type BranchAction = { repo: Repo; by: SignedIn };

/**
 * Renames a branch; its former name leads to the new one. Only administrators may rename the default branch; the repository then takes
 * the new name as its default.
 */
export async function renameBranch(
  context: PushContext,
  { repo, by }: BranchAction,
  branch: Branch,
  to: string,
): Promise<string> {
  const ref = checkRef(branchRef(to));
  const isDefault = branch.short === repo.default_branch;
  if (isDefault && by.grant.kind !== 'installation' && !reaches(repo.role, 'admin'))
    throw forbidden('You must have admin rights to rename the default branch.');
  if (ref === branch.name) return to;
  const { now } = context;
  const event = inRepository({ repo, by, now });
  const names = { from: branch.short, to };
  await moveOrRefuse(
    context,
    {
      repo,
      by,
      async extraWrites(tx) {
        await insertRename(tx, { repository: repo.id, ...names, now });
        // Recording the moves makes the new branch the default one (see adoptFirstBranch). This event informs subscribers.
        if (isDefault) await record(tx, { ...event, kind: 'repository.default_branch_changed', data: names });
      },
    },
    [
      { ref: branch.name, from: branch.oid, to: null },
      { ref, from: null, to: branch.oid },
    ],
  );
  return to;
}

type MergeAction = BranchAction & { identity: Identity };

/** Merges a branch or commit into a branch; undefined if that contains it already. */
export async function merge(
  context: PushContext,
  { repo, by, identity }: MergeAction,
  { base, head, commit_message }: NewMerge,
): Promise<Oid | undefined> {
  const disk = repoOf(context.git, repo.id);
  const target = await findBranch(disk, base);
  if (!target) throw new Refusal('not_found', 'Base does not exist');
  await checkMayMove(context, { repo, by }, [target.name]);
  const theirs = await findRevision(disk, head, { peel: 'commit' });
  if (theirs?.type !== 'commit') throw new Refusal('not_found', 'Head does not exist');
  if (await isAncestor(disk, theirs.oid, target.oid)) return undefined;
  const message = commit_message ?? `Merge ${head} into ${base}`;
  const commit = await mergeOrRefuse(disk, { ours: target.oid, theirs: theirs.oid, by: identity, message });
  await moveOrRefuse(context, { repo, by }, [{ ref: target.name, from: target.oid, to: commit }]);
  return commit;
}

/** @throws Refusal 409 where the two conflict */
async function mergeOrRefuse(disk: Disk, wanted: Parameters<typeof writeMerge>[1]): Promise<Oid> {
  const commit = await writeMerge(disk, wanted);
  if (commit === undefined) throw conflict('Merge conflict');
  return commit;
}

type SyncAction = MergeAction & { upstream: Repo | undefined };

/** Brings a fork's branch up to date with the branch of that name in the repository that it was forked from. */
export async function mergeUpstream(
  context: PushContext,
  { repo, by, identity, upstream }: SyncAction,
  branch: string,
): Promise<MergedUpstream> {
  if (!upstream) throw unprocessable('The repository is not a fork of one that you can read');
  const disk = repoOf(context.git, repo.id);
  const source = repoOf(context.git, upstream.id);
  const ours = await findBranch(disk, branch);
  if (!ours) throw branchNotFound();
  const theirs = await findBranch(source, ours.name);
  if (!theirs) throw unprocessable(`The upstream repository has no branch ${ours.short}`);
  const reply = { base_branch: `${upstream.owner.login}:${ours.short}` };
  const isMerged = async (oid: Oid) => {
    await using reader = await openObjects(disk);
    return (await reader.findInfo(oid)) !== undefined && isAncestor(disk, oid, ours.oid);
  };
  if (await isMerged(theirs.oid)) return { ...reply, merge_type: 'none', message: 'This branch is not behind the upstream.' };
  await copyCommit(disk, source, theirs.oid);
  const isFastForward = await isAncestor(disk, ours.oid, theirs.oid);
  const message = `Merge branch '${upstream.owner.login}:${ours.short}' into ${ours.short}`;
  const to = isFastForward
    ? theirs.oid
    : await mergeOrRefuse(disk, { ours: ours.oid, theirs: theirs.oid, by: identity, message });
  await moveOrRefuse(context, { repo, by }, [{ ref: ours.name, from: ours.oid, to }]);
  const merge_type = isFastForward ? 'fast-forward' : 'merge';
  return {
    ...reply,
    merge_type,
    message: `Successfully fetched and ${isFastForward ? 'fast-forwarded' : 'merged'} from upstream.`,
  };
}
