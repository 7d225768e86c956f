import { branchRef } from '#git/refs/ref-name.ts';
import { headCommitOf } from '#resources/actions/workflow-runs/index.ts';
import type { Trigger } from '#workflow-files/triggers.ts';
import type { RunTrigger, TriggerContext } from './run-trigger.ts';

/** An event without a commit of its own runs the files of the default branch, for the head of that branch. */
export async function ofDefaultBranch(
  { gitRepository, repository, built }: TriggerContext,
  { title, ...more }: Partial<Trigger> & { readonly title?: string } = {},
): Promise<RunTrigger | undefined> {
  const ref = branchRef(repository.default_branch);
  const commit = await headCommitOf(gitRepository, ref);
  if (!commit) return undefined;
  return {
    trigger: { event: built.type.name, action: built.action ?? undefined, ...more },
    files: { ref, sha: commit.id },
    title: title ?? built.type.name,
    head: { branch: repository.default_branch, commit, repository: repository.id },
    ref,
    sha: commit.id,
  };
}

/**
 * An event about a tag or a deployed commit runs the files of the default branch, for that commit.
 * @param of `ref` is the full name of the branch or tag that pointed at the commit; undefined where none is known
 */
export async function ofCommit(
  context: TriggerContext,
  { rev, ref, title }: { readonly rev: string; readonly ref: string | undefined; readonly title: string },
): Promise<RunTrigger | undefined> {
  const runTrigger = await ofDefaultBranch(context, { title });
  const commit = runTrigger && (await headCommitOf(context.gitRepository, rev));
  if (!commit) return undefined;
  const branch = ref?.replace(/^refs\/(heads|tags)\//, '') ?? null;
  return { ...runTrigger, head: { ...runTrigger.head, commit, branch }, ref, sha: commit.id };
}
