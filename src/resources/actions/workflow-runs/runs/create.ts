// Creating runs.

import type { WriteScope } from '#endpoint/scope.ts';
import type { Id } from '#lib/id.ts';
import { fixedValue } from '#lib/limits.ts';
import { isRunnable, putWorkflow, requireWorkflowFiles, takeRunNumber } from '#resources/actions/workflows/index.ts';
import { loadPulls } from '#resources/collaboration/pulls/index.ts';
import { type IntendedUse, spentBudgetOf } from '#resources/platform/billing/index.ts';
import { type ActionsPolicy, loadActionsPolicy } from '#resources/repositories/actions-permissions/index.ts';
import { type Concurrency, concurrencyOfFile } from '#workflow-files/concurrency.ts';
import { ExpressionProblem, evaluate, type Json, textOf } from '#workflow-files/expressions.ts';
import type { ParsedWorkflow, WorkflowFile, WorkflowProblem } from '#workflow-files/file.ts';
import { workflowFileLimits } from '#workflow-files/limits.ts';
import { findPart } from '#workflow-files/token.ts';
import { type AdmittingRepository, forbiddenUses, forkRights, needsApproval } from '../approval/admission.ts';
import { askerOf } from '../approval/behind-job.ts';
import { beginRun } from '../planning/advance.ts';
import type { CalledFiles } from '../planning/called-files.ts';
import { loadContextFacts, variablesOf } from '../planning/context-facts.ts';
import { runContexts } from '../planning/contexts.ts';
import { suiteOf } from '../states/checks.ts';
import { requestRun, transitionRun } from '../states/run-states.ts';
import { hasRunOf, insertRunFiles, type RunRow, updateRun } from '../store.ts';
import type { RunRegistry } from '../tasks/run-registries.ts';
import type { HeadCommit } from './head-commit.ts';

export type NewRun = {
  readonly repository: AdmittingRepository & { readonly owner_id: Id<'accounts'> };
  /**
   * The workflow file, from the commit that `sha` names or from the default branch. The path of a required workflow has the name
   * of its repository before it, and its ref or commit after an `@`.
   */
  readonly path: string;
  readonly content: string;
  /** The called files, as `readCalledFiles` found them. */
  readonly called: CalledFiles;
  readonly event: string;
  /** The event; undefined if a request creates the run. */
  readonly eventId?: Id<'events'> | undefined;
  /** The webhook payload of the event. */
  readonly payload: object;
  /** The title of a run whose file defines none: the title of the pull request or commit. */
  readonly title: string;
  /** The branch and commit that the run is shown for. The repository is null if the fork was deleted. */
  readonly head: {
    readonly branch: string | null;
    readonly commit: HeadCommit;
    readonly repository: Id<'repositories'> | null;
  };
  /**
   * What the jobs check out. Undefined for a commit without a ref: such a run has no caches and enters no environment with branch
   * rules.
   */
  readonly ref: string | undefined;
  readonly sha: string;
  /** The source of the workflow file, if it comes from another ref and commit. */
  readonly source?: {
    readonly ref: string;
    readonly sha: string;
    /** For a required workflow: its repository, its path there, and the branch whose rule requires it. */
    readonly required?: { readonly repository: Id<'repositories'>; readonly path: string; readonly base: string };
  };
  readonly pullRequest?: Id<'issues'> | undefined;
  readonly isFromFork?: boolean;
  /** The number of runs that led to it, each triggered by the end of the previous one. */
  readonly depth?: number;
  readonly actor: Id<'accounts'> | undefined;
  /** Which secrets its jobs get. Omitted: those of workflows. */
  readonly secretSource?: RunRow['secret_source'] | undefined;
  /** Registries that all of its jobs get. */
  readonly registries?: readonly RunRegistry[] | undefined;
  /** The user who requested it, if a job's token creates it. */
  readonly onBehalfOf?: Id<'accounts'> | undefined;
};

/**
 * Creates a run of a workflow, with the jobs that need no others. An invalid file creates a failed run that says why.
 * @returns undefined if the event has already created its run, or if workflows are disabled by the settings
 */
export async function createRun(scope: WriteScope, wanted: NewRun): Promise<RunRow | undefined> {
  const { tx, now } = scope;
  const { repository, path, content, event, head, isFromFork = false } = wanted;
  const policy = await loadActionsPolicy(tx, repository);
  if (!policy.enabled || (isFromFork && !forkRights(policy, repository).runs)) return undefined;
  const [parsed = unread] = requireWorkflowFiles([{ path, content }], repository.owner_id);
  const file = 'file' in parsed ? parsed.file : undefined;
  const name = file?.name ?? path;
  const workflow = await putWorkflow(tx, { repository_id: repository.id, path, name, now });
  if (!isRunnable(workflow)) return undefined;
  if (wanted.eventId !== undefined && (await hasRunOf(tx, workflow.id, wanted.eventId))) return undefined;
  const spent = await spentBudgetOf(tx, jobsOf(repository.id, repository.owner_id, wanted.onBehalfOf ?? wanted.actor), now);
  const problems = [
    ...(file ? problemsOfUses(policy, file, wanted.called) : problemsOf(parsed)),
    ...(spent ? [atBeginning(spent)] : []),
  ];
  const check_suite_id = await suiteOf(scope, {
    repository_id: repository.id,
    owner_id: repository.owner_id,
    workflow_id: workflow.id,
    event,
    head_sha: head.commit.id,
    head_branch: head.branch,
    actor_id: wanted.actor ?? null,
    triggering_actor_id: null,
  });
  const run = await requestRun(scope, {
    repository_id: repository.id,
    workflow_id: workflow.id,
    check_suite_id,
    run_number: await takeRunNumber(tx, workflow.id),
    event,
    event_id: wanted.eventId ?? null,
    name,
    title: titleOf(wanted.title),
    path,
    head_branch: head.branch,
    head_sha: head.commit.id,
    head_repository_id: head.repository,
    head_commit: JSON.stringify(head.commit),
    ref: wanted.ref ?? null,
    sha: wanted.sha,
    workflow_ref: wanted.source?.ref ?? null,
    workflow_sha: wanted.source?.sha ?? null,
    workflow_repository_id: wanted.source?.required?.repository ?? null,
    workflow_path: wanted.source?.required?.path ?? null,
    required_for_ref: wanted.source?.required?.base ?? null,
    pull_request_id: wanted.pullRequest ?? null,
    actor_id: wanted.actor ?? null,
    triggering_actor_id: wanted.actor ?? null,
    on_behalf_of_id: wanted.onBehalfOf ?? null,
    payload: JSON.stringify(wanted.payload),
    file: content,
    problems: JSON.stringify(problems),
    is_from_fork: isFromFork,
    secret_source: wanted.secretSource ?? 'actions',
    registries: wanted.registries ? JSON.stringify(wanted.registries) : null,
    depth: wanted.depth ?? 0,
  });
  await insertRunFiles(
    tx,
    wanted.called.files.map(({ name, path, ref, sha, content }) => ({ run_id: run.id, name, path, ref, sha, content })),
  );
  if (!file || problems.length > 0) return transitionRun(scope, run, 'fail_to_start');
  const details = await evaluateRun(scope, run, file);
  if ('problem' in details) return transitionRun(scope, run, 'fail_to_start', { problems: JSON.stringify([details.problem]) });
  const { title, concurrency } = details;
  const pull = isFromFork && wanted.pullRequest ? (await loadPulls(tx, [wanted.pullRequest])).get(wanted.pullRequest) : undefined;
  if (isFromFork && (await needsApproval(tx, policy, { repository, actor: wanted.actor, pull })))
    return transitionRun(scope, run, 'ask_for_approval');
  return beginRun(scope, title === '' ? run : await updateRun(tx, run.id, { title }), concurrency);
}

const unread: ParsedWorkflow = { problems: [] };

/** The jobs of a run, as usage that budgets may prevent: of a repository, and caused by an account. */
export const jobsOf = (
  repository: Id<'repositories'>,
  organization: Id<'accounts'>,
  user: Id<'accounts'> | undefined,
): IntendedUse => ({ organization, repository, user, product: 'actions' });

/** A problem that isn't related to a line of the file. */
const atBeginning = (message: string): WorkflowProblem => ({ message, line: 1 });

/** Starts a new or held run according to its file. It fails if no budget is left. */
export async function beginAgain(scope: WriteScope, run: RunRow): Promise<RunRow> {
  const { tx, now } = scope;
  const spent = await spentBudgetOf(tx, jobsOf(run.repository_id, run.owner_id, askerOf(run)), now);
  if (spent !== undefined) {
    const problems = JSON.stringify([atBeginning(spent)]);
    return transitionRun(scope, run, 'fail_to_start', { problems });
  }
  const [parsed = unread] = requireWorkflowFiles([{ path: run.path, content: run.file }], run.owner_id);
  if (!('file' in parsed)) return transitionRun(scope, run, 'fail_to_start');
  const details = await evaluateRun(scope, run, parsed.file);
  if ('problem' in details) return transitionRun(scope, run, 'fail_to_start');
  return beginRun(scope, run, details.concurrency);
}

/** The uses in a file and its called files that aren't allowed. The settings of the repository that runs them apply to all. */
const problemsOfUses = (policy: ActionsPolicy, file: WorkflowFile, { files, problems }: CalledFiles): WorkflowProblem[] => [
  ...forbiddenUses(policy, file),
  ...problems,
  ...files.flatMap((called) =>
    forbiddenUses(policy, called.file).map(({ message }) => ({ message: `${called.path}: ${message}`, line: called.line })),
  ),
];

const problemsOf = (parsed: ParsedWorkflow): readonly WorkflowProblem[] => ('problems' in parsed ? parsed.problems : []);

const maxTitle = fixedValue(workflowFileLimits.nameLength);
const titleOf = (text: string): string => text.trim().slice(0, maxTitle).toWellFormed();

/** The properties of a whole run in its file: its title, and its concurrency group. */
async function evaluateRun(
  { tx, links }: WriteScope,
  run: RunRow,
  file: WorkflowFile,
): Promise<{ title: string; concurrency: Concurrency | null } | { problem: WorkflowProblem }> {
  const facts = await loadContextFacts(tx, run, links);
  if (!facts) return { title: '', concurrency: null };
  const contexts = runContexts(run, facts, await variablesOf(tx, run), file);
  const evaluated = (part: string): Json => {
    const token = findPart(file.parts, part);
    return token ? evaluate(token, contexts) : null;
  };
  try {
    return { title: titleOf(textOf(evaluated('run-name'))), concurrency: concurrencyOfFile(file, contexts) };
  } catch (error) {
    if (!(error instanceof ExpressionProblem)) throw error;
    return { problem: { message: error.message, line: error.line ?? 1 } };
  }
}
