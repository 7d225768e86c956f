// Preparing the runs that analyse a repository.
import type { ChangeScope, Needs, Scope } from '#endpoint/scope.ts';
import type { Oid } from '#git/objects/oid.ts';
import { branchRef } from '#git/refs/ref-name.ts';
import { findRef } from '#git/refs/refs.ts';
import { repoOf } from '#git/store.ts';
import { gather, unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { listRegistriesForServer } from '#resources/actions/private-registries/index.ts';
import { headCommitOf, type NewRun, prepareDynamicRun, readCalledFiles } from '#resources/actions/workflow-runs/index.ts';
import type { RepositoryWithOwner } from '#resources/repositories/repositories/index.ts';
import type { ScannedLanguage } from '#resources/repositories/repository-security/index.ts';
import { inputNamesOf, isCallable } from '#workflow-files/calls.ts';
import { dynamicPath } from '#workflow-files/file.ts';
import { analysedLanguages } from './languages.ts';
import type { SetupRow } from './store.ts';
import { type AnalyserCall, analysisWorkflow, inputsOf, probeWorkflow, titles, workflowNames } from './workflow.ts';

/** The part of a setup that decides what its runs do. */
export type Analysis = Pick<SetupRow, 'product' | 'languages' | 'query_suite' | 'threat_model' | 'runner_label'>;

type AnalysisScope = ChangeScope & Needs<'analysers' | 'secrets'>;

/** A commit to analyse, and the ref that has it. */
export type Target = {
  readonly ref: string;
  readonly sha: Oid;
  readonly branch: string;
  readonly title: string;
  /** For the test merge of a pull request: its head, which checks are shown for. */
  readonly pull?: { readonly issue: Id<'issues'>; readonly head: Oid };
  readonly actor: Id<'accounts'> | undefined;
  readonly eventId?: Id<'events'>;
};

/** A run for `createRun`, with the reasons why its analysers can't do all that the setup wants. */
type PreparedAnalysis = { readonly run: NewRun; readonly problems: readonly string[] };

/** The default branch as it is now; undefined without commits. */
export async function defaultBranchOf(
  { git }: Pick<AnalysisScope, 'git'>,
  repository: RepositoryWithOwner,
): Promise<Pick<Target, 'ref' | 'sha' | 'branch'> | undefined> {
  const ref = branchRef(repository.default_branch);
  const found = await findRef(repoOf(git, repository.id), ref);
  return found && { ref, sha: found.oid, branch: repository.default_branch };
}

/**
 * Prepares the run of an analysis, outside of a transaction.
 * @returns undefined if no language of the repository has an analyser, or the commit doesn't exist
 */
export async function prepareAnalysis(
  scope: AnalysisScope,
  repository: RepositoryWithOwner,
  analysis: Analysis,
  target: Target,
): Promise<PreparedAnalysis | undefined> {
  const { product } = analysis;
  const languages = await analysedLanguages(scope, repository, analysis);
  if (languages.length === 0) return undefined;
  const { calls, problems } = await callsOf(scope, repository, analysis, { languages, target });
  const registries = await listRegistriesForServer(scope.db, scope.services.secrets, repository);
  const { ref, sha, branch, title, pull, actor, eventId } = target;
  const content = analysisWorkflow({
    product,
    calls,
    registries: registries.granted,
    isReplaceable: pull !== undefined,
  });
  const run = await prepareDynamicRun(scope, {
    repository,
    workflow: workflowNames[product],
    content,
    title: `${titles[product]}: ${title}`,
    sha,
    branch,
    isForBranch: pull === undefined,
    actor,
    eventId,
    pullRequest: pull?.issue,
  });
  if (!run || !pull) return run && { run, problems };
  const head = await headCommitOf(repoOf(scope.git, repository.id), pull.head);
  return head && { run: { ...run, ref, head: { ...run.head, commit: head } }, problems };
}

type Wanted = { readonly languages: readonly ScannedLanguage[]; readonly target: Target };

/** The calls of the analysers of these languages, each with the inputs that its analyser declares. */
async function callsOf(
  scope: AnalysisScope,
  repository: RepositoryWithOwner,
  analysis: Analysis,
  { languages, target }: Wanted,
): Promise<{ calls: AnalyserCall[]; problems: string[] }> {
  const { product } = analysis;
  const named = languages.flatMap((language) => {
    const uses = scope.services.analysers[product].get(language);
    return uses === undefined ? [] : [{ language, uses }];
  });
  const analysers = new Map<string, Awaited<ReturnType<typeof readAnalyser>>>();
  for (const uses of unique(gather(named, 'uses'))) analysers.set(uses, await readAnalyser(scope, repository, uses, target));
  const problems: string[] = [];
  const calls = named.map(({ language, uses }) => {
    const { inputs: declared, problem } = analysers.get(uses) ?? {};
    const inputs = Object.entries(inputsOf(analysis, language));
    if (problem !== undefined) problems.push(`The analyser for ${language} can't be called: ${problem}`);
    else if (analysis.runner_label !== null && !declared?.has('runner'))
      problems.push(`The analyser for ${language} (${uses}) runs on no runner with another label: it has no input named runner`);
    return { language, uses, inputs: Object.fromEntries(inputs.filter(([name]) => declared?.has(name) ?? false)) };
  });
  return { calls, problems };
}

/** The inputs that an analyser declares, or why a repository can't call it. */
export async function readAnalyser(
  scope: Scope,
  repository: RepositoryWithOwner,
  uses: string,
  { ref, sha }: Pick<Target, 'ref' | 'sha'>,
): Promise<{ inputs?: ReadonlySet<string>; problem?: string }> {
  const probe = { path: dynamicPath('analyser'), content: probeWorkflow(uses) };
  const { files, problems } = await readCalledFiles(scope, { repository, ref, commit: sha }, probe);
  const [analyser] = files;
  // Without its inputs, an analyser that demands some is called wrongly; with them, the run itself is checked.
  if (!analyser) return { problem: problems[0]?.message ?? 'it is not valid' };
  if (!isCallable(analyser.file)) return { problem: `${uses}: The workflow has no workflow_call trigger` };
  return { inputs: inputNamesOf(analyser.file) };
}
