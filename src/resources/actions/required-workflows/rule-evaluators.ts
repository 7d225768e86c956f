// The rule that requires successful workflows of other repositories before a branch gets a commit.
import { asId } from '#lib/id.ts';
import { listRequiredRuns, loadShared } from '#resources/actions/workflow-runs/index.ts';
import { readWorkflowFile } from '#resources/actions/workflows/index.ts';
import {
  checkedCommit,
  type RequiredWorkflow,
  type RuleCheck,
  type RuledMove,
  type RuleEvaluator,
  type RuleEvaluators,
} from '#resources/code/ref-rules/index.ts';
import { loadActionsPolicy } from '#resources/repositories/actions-permissions/index.ts';
import type { RepositoryWithOwner } from '#resources/repositories/repositories/index.ts';
import { findRequiredFile, loadSources, refsOf, sourceOf } from './sources.ts';

type Problem = { readonly message: string; readonly isPending: boolean };
type Run = Awaited<ReturnType<typeof listRequiredRuns>>[number];

/** As for required checks, a run counts even if all its jobs were skipped. */
const goodConclusions: readonly Run['conclusion'][] = ['success', 'neutral', 'skipped'];

/** Why a run doesn't satisfy the rule; undefined if it does. */
function problemOfRun({ path, status, conclusion }: Run): Problem | undefined {
  const name = `Required workflow "${path}"`;
  if (status !== 'completed') return { message: `${name} has not completed.`, isPending: true };
  if (conclusion === 'action_required') return { message: `${name} waits for an approval.`, isPending: true };
  if (goodConclusions.includes(conclusion)) return undefined;
  return { message: `${name} did not succeed: its run ended with ${conclusion}.`, isPending: false };
}

/** The message doesn't name the repository, since the user may not know that it exists. */
const notFound = ({ path, repository_id }: RequiredWorkflow): Problem => ({
  message: `Required workflow "${path}" was not found, or the repository ${repository_id} does not share it.`,
  isPending: false,
});

type WithoutRun = {
  readonly required: RequiredWorkflow;
  /** Undefined if it isn't shared. */
  readonly source: RepositoryWithOwner | undefined;
  readonly target: RepositoryWithOwner;
  readonly isEnabled: boolean;
};

/** Why a workflow has no run for a commit. */
async function problemWithoutRun(
  { gitRepository, queue }: RuleCheck,
  { required, source, target, isEnabled }: WithoutRun,
): Promise<Problem> {
  const file = source && (await findRequiredFile(gitRepository.store, source, required));
  if (!file) return notFound(required);
  const name = `Required workflow "${file.found.path}"`;
  if (!isEnabled) return { message: `${name} cannot run: Actions are disabled in this repository.`, isPending: false };
  const parsed = await readWorkflowFile(file.found, target.owner_id);
  const wanted = queue === 'merging' ? ['merge_group'] : ['pull_request', 'pull_request_target'];
  if ('file' in parsed && !wanted.some((event) => Object.hasOwn(parsed.file.events, event)))
    return { message: `${name} cannot run: its file does not name the event ${wanted[0]}.`, isPending: false };
  return { message: `${name} is expected.`, isPending: true };
}

/** The problems that keep a commit from satisfying a rule, one for each failing workflow. */
async function findProblems(
  check: RuleCheck,
  { move, commit }: { move: RuledMove; commit: string },
  all: readonly RequiredWorkflow[],
): Promise<Problem[]> {
  const { db, repo, merge, queue } = check;
  const repositories = await loadSources(db, all, repo.id);
  const target = repositories.get(repo.id);
  if (!target) return all.map(notFound);
  const runs = await listRequiredRuns(db, {
    repository: repo.id,
    head: commit,
    pull: queue === 'merging' ? undefined : merge?.id,
    // A branch that doesn't exist yet has no pull requests.
    base: move.before === null ? undefined : move.ref,
    // A pull request may have the commit of a group as its head, and jobs of the file may be for groups alone.
    event: queue === 'merging' ? 'merge_group' : undefined,
    sources: all.map(({ repository_id }) => asId<'repositories'>(repository_id)),
  });
  const found = all.map((required) => {
    const source = sourceOf(repositories, required, target);
    return { required, source, run: source && runOf(runs, source, required) };
  });
  const lacking = found.flatMap(({ run, source }) => (run || !source ? [] : source));
  const [shared, isEnabled] =
    lacking.length === 0
      ? [new Set(), true]
      : await Promise.all([loadShared(db, target, lacking), loadActionsPolicy(db, target).then(({ enabled }) => enabled)]);
  const problems: Problem[] = [];
  for (const { required, source, run } of found) {
    const usable = source && shared.has(source.id) ? source : undefined;
    const problem = run ? problemOfRun(run) : await problemWithoutRun(check, { required, source: usable, target, isEnabled });
    if (problem) problems.push(problem);
  }
  return problems;
}

/** The run of a workflow at the ref or commit that a rule names. */
function runOf(runs: readonly Run[], source: RepositoryWithOwner, required: RequiredWorkflow): Run | undefined {
  const own = runs.filter((run) => run.workflow_repository_id === source.id && run.workflow_path === required.path);
  return refsOf(required, source).flatMap((ref) => own.find(({ workflow_ref }) => workflow_ref === ref) ?? [])[0];
}

/**
 * Each workflow must have run successfully: for the head of the merged pull request, for the commit that a merge queue created
 * for it, or for the pushed commit.
 */
const workflows: RuleEvaluator<'workflows'> = {
  kinds: ['creation', 'update'],
  needs: 'names',
  async violation(check, { parameters }, move) {
    const { workflows: required, do_not_enforce_on_create } = parameters;
    const commit = checkedCommit(check, move);
    if (required.length === 0 || commit === null) return undefined;
    if (move.before === null && (do_not_enforce_on_create || (await check.isEmpty()))) return undefined;
    const problems = await findProblems(check, { move, commit }, required);
    if (problems.length === 0) return undefined;
    const message = problems.map((one) => one.message).join(' ');
    return problems.every(({ isPending }) => isPending) ? { message, isPending: true } : message;
  },
};

/** The rule types that depend on workflow runs. */
export const workflowEvaluators = { workflows } as const satisfies Partial<RuleEvaluators>;
