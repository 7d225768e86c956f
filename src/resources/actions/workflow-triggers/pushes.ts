import { zeroOid } from '#git/objects/oid.ts';
import { headCommitOf } from '#resources/actions/workflow-runs/index.ts';
import { asksToSkip, changedPaths, firstLine, type RunTrigger, type TriggerContext } from './run-trigger.ts';

/** A branch or tag was pushed: the files of the pushed commit decide. */
export async function ofPush({ gitRepository, repository, built }: TriggerContext): Promise<RunTrigger | undefined> {
  const { ref, before, after } = built.body as { ref: string; before: string; after: string };
  if (after === zeroOid) return undefined;
  const commit = await headCommitOf(gitRepository, after);
  if (!commit || asksToSkip(commit.message)) return undefined;
  const [, kind, name = ''] = /^refs\/(heads|tags)\/(.+)$/.exec(ref) ?? [];
  return {
    trigger: {
      event: 'push',
      ...(kind === 'tags' ? { tag: name } : { branch: name }),
      changedPaths: async () => (before === zeroOid ? undefined : changedPaths(gitRepository, before, commit.id)),
    },
    files: { ref, sha: commit.id },
    title: firstLine(commit.message),
    head: { branch: name, commit, repository: repository.id },
    ref,
    sha: commit.id,
  };
}

/** A branch or tag was created: as a push of it. */
export async function ofCreation({ gitRepository, repository, built }: TriggerContext): Promise<RunTrigger | undefined> {
  const { full_ref: ref } = built.body as { full_ref: string };
  const commit = await headCommitOf(gitRepository, ref);
  if (!commit) return undefined;
  return {
    trigger: { event: 'create' },
    files: { ref, sha: commit.id },
    title: firstLine(commit.message),
    head: { branch: ref.replace(/^refs\/(heads|tags)\//, ''), commit, repository: repository.id },
    ref,
    sha: commit.id,
  };
}
