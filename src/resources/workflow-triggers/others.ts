import { branchRef } from '#git/refs/ref-name.ts';
import { headCommitOf } from '#resources/workflow-runs/index.ts';
import type { Trigger } from '#workflow-files/triggers.ts';
import type { Occasion, OccasionContext } from './occasion.ts';

/** Something happened that is of no commit: the files of the default branch decide, and a run is of its head. */
export async function ofDefaultBranch(
  { disk, repository, built }: OccasionContext,
  { title, ...more }: Partial<Trigger> & { readonly title?: string } = {},
): Promise<Occasion | undefined> {
  const ref = branchRef(repository.default_branch);
  const commit = await headCommitOf(disk, ref);
  if (!commit) return undefined;
  return {
    trigger: { event: built.type.name, action: built.action ?? undefined, ...more },
    files: commit.id,
    title: title ?? built.type.name,
    head: { branch: repository.default_branch, commit, repository: repository.id },
    ref,
    sha: commit.id,
  };
}

/** Something happened to a commit or a tag: the files of the default branch decide, and a run is of that commit. */
export async function ofCommit(
  context: OccasionContext,
  { rev, ref, title }: { readonly rev: string; readonly ref?: string; readonly title?: string },
): Promise<Occasion | undefined> {
  const occasion = await ofDefaultBranch(context, title === undefined ? {} : { title });
  const commit = occasion && (await headCommitOf(context.disk, rev));
  if (!commit) return undefined;
  const branch = ref?.replace(/^refs\/(heads|tags)\//, '') ?? null;
  return {
    ...occasion,
    head: { ...occasion.head, commit, branch },
    ref: ref ?? occasion.ref,
    sha: commit.id,
  };
}
