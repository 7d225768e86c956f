// Why a default setup analyses nothing, and what is wrong with the analysers of the server.
import type { Needs, Scope } from '#endpoint/scope.ts';
import type { Secrets } from '#lib/secrets.ts';
import { timestamp } from '#lib/time.ts';
import { listRegistriesForServer } from '#resources/actions/private-registries/index.ts';
import { explainJob, findLatestRun } from '#resources/actions/workflow-runs/index.ts';
import { loadActionsPolicy } from '#resources/repositories/actions-permissions/index.ts';
import { loadNamed, type RepositoryWithOwner } from '#resources/repositories/repositories/index.ts';
import { type AnalysedProduct, analysedProducts, analysersHint } from '#resources/repositories/repository-security/index.ts';
import { dynamicPath } from '#workflow-files/file.ts';
import { namedUse } from '#workflow-files/uses.ts';
import { defaultBranchOf, readAnalyser } from './analyses.ts';
import { analysedLanguages, detectLanguages } from './languages.ts';
import { findSetup } from './store.ts';
import { workflowNames } from './workflow.ts';

/** A check, and whether the setup passes it; undefined for what its jobs go on without. */
type SetupStep = { readonly check: string; readonly passed: boolean | undefined; readonly because: string };

type SetupExplanation = { readonly product: AnalysedProduct; readonly steps: readonly SetupStep[]; readonly message: string };

type ExplainScope = Scope & Needs<'analysers'>;
type JobOptions = { readonly runsHosted: boolean; readonly secrets: Secrets };

/** Explains what the setup of a repository does, step by step: the first check that fails is why it analyses nothing. */
export async function explainSetup(
  scope: ExplainScope,
  repository: RepositoryWithOwner,
  product: AnalysedProduct,
  options: JobOptions,
): Promise<SetupExplanation> {
  const steps: SetupStep[] = [];
  for await (const step of stepsOf(scope, repository, product, options)) steps.push(step);
  const reason = steps.find(({ passed }) => passed === false) ?? steps.at(-1);
  return { product, steps, message: reason?.because ?? '' };
}

async function* stepsOf(
  scope: ExplainScope,
  repository: RepositoryWithOwner,
  product: AnalysedProduct,
  options: JobOptions,
): AsyncGenerator<SetupStep> {
  const { db, services } = scope;
  const setup = await findSetup(db, repository.id, product);
  if (!setup) return yield { check: 'setup', passed: false, because: 'it is not configured' };
  yield { check: 'setup', passed: true, because: `it is configured since ${timestamp(setup.updated_at)}` };
  if (repository.archived) return yield { check: 'repository', passed: false, because: 'it is archived' };
  const branch = await defaultBranchOf(scope, repository);
  if (!branch) return yield { check: 'commits', passed: false, because: 'its default branch has no commits' };

  const languages = await analysedLanguages(scope, repository, setup);
  if (languages.length === 0) {
    const wanted = (setup.languages ?? (await detectLanguages(scope, repository))).join(', ') || 'none that is known';
    const known = [...services.analysers[product].keys()].join(', ') || 'none';
    const because = `none of its languages has an analyser (it has ${wanted}; analysers: ${known}). ${analysersHint}`;
    return yield { check: 'languages', passed: false, because };
  }
  yield { check: 'languages', passed: true, because: `it analyses ${languages.join(', ')}` };

  const policy = await loadActionsPolicy(db, repository);
  const isOn = policy.enabled;
  yield { check: 'workflows', passed: isOn, because: `workflows are ${isOn ? 'enabled' : 'disabled'} for the repository` };
  for (const language of languages) {
    const uses = services.analysers[product].get(language) ?? '';
    const { problem } = await readAnalyser(scope, repository, uses, branch);
    const named = namedUse(uses);
    const allowed = named ? policy.allowsAction({ kind: 'workflow', ...named }) : true;
    const because = problem ?? (allowed === true ? `${language} is analysed by ${uses}` : `${uses}: ${allowed.reason}`);
    yield { check: 'analyser', passed: problem === undefined && allowed === true, because };
  }
  const { refused } = await listRegistriesForServer(db, options.secrets, repository);
  for (const { name, reason } of refused)
    yield { check: 'private registry', passed: undefined, because: `its jobs get no ${name}: ${reason}` };
  yield* runSteps(scope, repository, product, options);
  yield { check: 'schedule', passed: true, because: `the next weekly analysis is at ${timestamp(setup.next_run_at)}` };
}

/** The latest run, and why its first open job waits. */
async function* runSteps(
  { db, now }: ExplainScope,
  { id, name, owner }: RepositoryWithOwner,
  product: AnalysedProduct,
  options: JobOptions,
): AsyncGenerator<SetupStep> {
  const run = await findLatestRun(db, id, dynamicPath(workflowNames[product]));
  if (!run) return yield { check: 'latest run', passed: false, because: 'nothing was analysed yet' };
  const [problem] = run.problems;
  const state = run.conclusion ?? run.status.replace('_', ' ');
  const hasFailed = run.conclusion !== null && run.conclusion !== 'success';
  const about = `run ${run.id} of ${timestamp(run.created_at)}`;
  yield { check: 'latest run', passed: !hasFailed, because: `${about}: ${problem?.message ?? state}` };
  if (run.job === null) return;
  const { steps } = await explainJob(db, { owner: owner.login, name, job: run.job }, { ...options, now });
  for (const { check, passed, because } of steps) yield { check: `job ${run.job}: ${check}`, passed, because };
}

/** The analysers of the server, each with what is wrong with it: a product and language, and the problem. */
export async function listAnalyserProblems(scope: ExplainScope): Promise<{ count: number; problems: string[] }> {
  const all = analysedProducts.flatMap((product) =>
    [...scope.services.analysers[product]].map(([language, uses]) => ({ name: `${product}.${language}`, uses })),
  );
  const nameOf = (uses: string): string => uses.split('/').slice(0, 2).join('/').toLowerCase();
  const repositories = await loadNamed(
    scope.db,
    all.map(({ uses }) => nameOf(uses)),
  );
  const problems: string[] = [];
  for (const { name, uses } of all) {
    const repository = repositories.get(nameOf(uses));
    const problem = repository ? await problemOf(scope, repository, uses) : 'there is no such repository';
    if (problem !== undefined) problems.push(`${name} (${uses}): ${problem}`);
  }
  return { count: all.length, problems };
}

async function problemOf(scope: ExplainScope, repository: RepositoryWithOwner, uses: string): Promise<string | undefined> {
  const branch = await defaultBranchOf(scope, repository);
  if (!branch) return 'its repository has no commits';
  const { problem } = await readAnalyser(scope, repository, uses, branch);
  if (problem !== undefined || repository.visibility === 'public') return problem;
  return 'its repository is not public, so that at most repositories of the same owner may use it';
}
