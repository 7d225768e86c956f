// Which events start workflows, and what each is for them.

import { branchRef, shortNameOf } from '#git/refs/ref-name.ts';
import type { Id } from '#lib/id.ts';
import { loadDeployments } from '#resources/actions/deployments/index.ts';
import { headCommitOf } from '#resources/actions/workflow-runs/index.ts';
import type { GroupData } from '#resources/collaboration/merge-queues/index.ts';
import { ofCommit, ofDefaultBranch } from './others.ts';
import { ofPullRequest, ofPullRequestTarget } from './pull-requests.ts';
import { ofCreation, ofPush } from './pushes.ts';
import { changedPaths, firstLine, type RunTrigger, type TriggerContext } from './run-trigger.ts';

/** The parts of payloads that are looked at. */
type Parts = {
  readonly issue?: { readonly title: string };
  readonly release?: { readonly tag_name: string; readonly name: string | null };
  readonly workflow?: { readonly name: string };
  readonly workflow_run?: { readonly name: string; readonly head_branch: string | null };
};

/** What each webhook event starts, by its name. Other events, as all that only organizations have, start nothing. */
const kinds: Readonly<Record<string, (context: TriggerContext, parts: Parts) => Promise<readonly (RunTrigger | undefined)[]>>> = {
  push: async (context) => [await ofPush(context)],
  create: async (context) => [await ofCreation(context)],
  pull_request: (context) => ofPulls(context),
  pull_request_review: (context) => ofPulls(context, { hasTarget: false }),
  pull_request_review_comment: (context) => ofPulls(context, { hasTarget: false }),
  issues: async (context, { issue }) => [await ofDefaultBranch(context, titled(issue?.title))],
  issue_comment: async (context, { issue }) => [await ofDefaultBranch(context, titled(issue?.title))],
  release: async (context, { release }) =>
    release
      ? [
          await ofCommit(context, {
            rev: `refs/tags/${release.tag_name}`,
            ref: `refs/tags/${release.tag_name}`,
            title: release.name ?? release.tag_name,
          }),
        ]
      : [],
  deployment: async (context) => [await ofDeployment(context)],
  deployment_status: async (context) => [await ofDeployment(context)],
  // Anybody's commit can get a status, as the head of a fork.
  status: async (context) => [await ofDefaultBranch(context)],
  workflow_run: async (context, { workflow_run: run }) => [
    await ofDefaultBranch(context, { workflow: run?.name, ...(run?.head_branch ? { branch: run.head_branch } : {}) }),
  ],
  merge_group: async (context) => [await ofMergeGroup(context)],
  branch_protection_rule: async (context) => [await ofDefaultBranch(context)],
  check_run: async (context) => [await ofDefaultBranch(context)],
  check_suite: async (context) => [await ofDefaultBranch(context)],
  delete: async (context) => [await ofDefaultBranch(context)],
  fork: async (context) => [await ofDefaultBranch(context)],
  label: async (context) => [await ofDefaultBranch(context)],
  milestone: async (context) => [await ofDefaultBranch(context)],
  public: async (context) => [await ofDefaultBranch(context)],
  repository_dispatch: async (context) => [await ofDefaultBranch(context)],
  watch: async (context) => [await ofDefaultBranch(context)],
};

/** The names of the webhook events that may start workflows. */
export const startingNames: readonly string[] = Object.keys(kinds);

/** Those of which the files of another commit than that of the default branch decide, so that it needn't name them. */
export const namesOfCommits: readonly string[] = [
  'push',
  'create',
  'merge_group',
  'pull_request',
  'pull_request_review',
  'pull_request_review_comment',
];

/** What a webhook event is for workflows. */
export async function runTriggersOf(context: TriggerContext): Promise<RunTrigger[]> {
  const found = await kinds[context.built.type.name]?.(context, context.built.body as Parts);
  return (found ?? []).filter((runTrigger) => runTrigger !== undefined);
}

const titled = (title: string | undefined) => (title === undefined ? {} : { title });

async function ofPulls(context: TriggerContext, { hasTarget = true } = {}): Promise<(RunTrigger | undefined)[]> {
  // All events of pull requests and their reviews name it.
  const { issue } = context.event.data as { issue?: Id<'issues'> };
  if (issue === undefined) return [];
  return [await ofPullRequest(context, issue), hasTarget ? await ofPullRequestTarget(context, issue) : undefined];
}

/** The files of a merge group run for its commit, in the name of its branch. */
async function ofMergeGroup({ event, built, gitRepository, repository }: TriggerContext): Promise<RunTrigger | undefined> {
  const { branch, ref, base, head } = event.data as GroupData;
  const commit = built.action === 'checks_requested' ? await headCommitOf(gitRepository, head) : undefined;
  if (!commit) return undefined;
  return {
    trigger: {
      event: 'merge_group',
      action: built.action ?? undefined,
      branch,
      changedPaths: () => changedPaths(gitRepository, base, head),
    },
    files: { ref, sha: head },
    title: firstLine(commit.message),
    head: { branch: shortNameOf(ref), commit, repository: repository.id },
    ref,
    sha: head,
    base: branchRef(branch),
  };
}

async function ofDeployment(context: TriggerContext): Promise<RunTrigger | undefined> {
  const { deployment: id } = context.event.data as { deployment: Id<'deployments'> };
  const deployment = (await loadDeployments(context.job.db, [id])).get(id);
  // Deployments of jobs start no runs, as everything that a job's token does: the job may be of a fork's pull request.
  if (!deployment || deployment.via_app_id === context.ownApp) return undefined;
  return ofCommit(context, { rev: deployment.sha, ref: deployment.full_ref ?? undefined, title: deployment.ref });
}
