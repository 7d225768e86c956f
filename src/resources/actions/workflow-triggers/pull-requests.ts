import { branchRef } from '#git/refs/ref-name.ts';
import type { Id } from '#lib/id.ts';
import { headCommitOf } from '#resources/actions/workflow-runs/index.ts';
import { loadPulls, loadTestedPull, mergeOfHead } from '#resources/collaboration/pulls/index.ts';
import { asksToSkip, changedPaths, type RunTrigger, type TriggerContext } from './run-trigger.ts';

/**
 * An event of a pull request runs the files of its test merge, for that merge. While its branches conflict there is none, and no
 * run (the public API's rule). For a merged pull request, it is the commit of the merge.
 */
export async function ofPullRequest(context: TriggerContext, issue: Id<'issues'>): Promise<RunTrigger | undefined> {
  const { gitRepository, repository, built } = context;
  const row = await loadTestedPull(context.job, { repository: repository.id, event: context.event }, issue);
  if (!row) return undefined;
  const tested = mergeOfHead(row);
  const [head, merge] = await Promise.all([
    headCommitOf(gitRepository, row.head_sha),
    tested === null ? undefined : headCommitOf(gitRepository, tested),
  ]);
  if (!head) return undefined;
  const sha = merge?.id ?? (row.state === 'closed' ? head.id : undefined);
  if (sha === undefined) return undefined;
  const ref = `refs/pull/${row.number}/merge`;
  return {
    trigger: {
      event: built.type.name,
      action: built.action ?? undefined,
      branch: row.base_ref,
      changedPaths: () => changedPaths(gitRepository, row.merge_base_sha, row.head_sha),
    },
    files: { ref, sha },
    title: row.title,
    head: { branch: row.head_ref, commit: head, repository: row.head_repository_id },
    ref,
    sha,
    base: branchRef(row.base_ref),
    isSkipped: asksToSkip(head.message),
    pullRequest: issue,
    isFromFork: row.head_repository_id !== repository.id,
  };
}

/**
 * `pull_request_target` runs the files of the base branch, for that branch: it may have secrets, and doesn't run what the pull
 * request changed.
 */
export async function ofPullRequestTarget(context: TriggerContext, issue: Id<'issues'>): Promise<RunTrigger | undefined> {
  const { gitRepository, built, job } = context;
  const row = (await loadPulls(job.db, [issue])).get(issue);
  if (!row) return undefined;
  const ref = branchRef(row.base_ref);
  const [head, base] = await Promise.all([headCommitOf(gitRepository, row.head_sha), headCommitOf(gitRepository, ref)]);
  if (!head || !base) return undefined;
  return {
    trigger: {
      event: 'pull_request_target',
      action: built.action ?? undefined,
      branch: row.base_ref,
      changedPaths: () => changedPaths(gitRepository, row.merge_base_sha, row.head_sha),
    },
    files: { ref, sha: base.id },
    title: row.title,
    head: { branch: row.head_ref, commit: head, repository: row.head_repository_id },
    ref,
    sha: base.id,
    base: ref,
    pullRequest: issue,
  };
}
