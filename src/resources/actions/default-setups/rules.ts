import type { RepositoryAction } from '#access/action.ts';
import type { Db } from '#database/connect.ts';
import type { ServedScope, WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { inRepository } from '#events/scope.ts';
import { defined } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { conflict, invalid, orNotFound, unprocessable } from '#lib/refusal.ts';
import { createRun } from '#resources/actions/workflow-runs/index.ts';
import { findEnforcedSetup, type WantedSetup } from '#resources/code/code-security/index.ts';
import { lockRepository, type RepositoryWithOwner } from '#resources/repositories/repositories/index.ts';
import { type AnalysedProduct, analysersHint } from '#resources/repositories/repository-security/index.ts';
import { type Analysis, defaultBranchOf, prepareAnalysis } from './analyses.ts';
import { detectLanguages } from './languages.ts';
import type { CodeScanningSetupChange } from './schemas.ts';
import { findSetup, putSetup, removeSetup, type SetupRow } from './store.ts';
import { defaultLabels, titles } from './workflow.ts';

const resources = { code_scanning: 'CodeScanningSetup', code_quality: 'CodeQualitySetup' } as const;

type Action = RepositoryAction & { readonly repo: RepositoryWithOwner };
type Options = Pick<SetupRow, 'languages' | 'query_suite' | 'threat_model' | 'runner_type' | 'runner_label'>;
type RunId = Id<'workflow_runs'>;

const weekMinutes = 7 * 24 * 60;

/** The next weekly time of a repository. The minutes of the week are spread over all repositories. */
export function nextWeekly(repository: Id<'repositories'>, after: Date): Date {
  // Neighbouring ids get distant minutes.
  const offset = (repository * 4_799) % weekMinutes;
  const minute = Math.floor(after.getTime() / 60_000);
  const passed = (((minute - offset) % weekMinutes) + weekMinutes) % weekMinutes;
  return new Date((minute - passed + weekMinutes) * 60_000);
}

/**
 * Turns a default setup on or off, or changes it. A new or changed one analyses the default branch immediately.
 * @returns the run of the analysis; undefined if nothing starts
 * @throws Refusal 422 for options that contradict one another, what the organization's configuration doesn't allow, and a setup
 *   that could analyse nothing, with the reason; 409 if it was changed meanwhile
 */
export async function changeSetup(
  scope: ServedScope,
  action: Action,
  product: AnalysedProduct,
  wanted: CodeScanningSetupChange,
): Promise<RunId | undefined> {
  const { repo, by, now } = action;
  const before = await findSetup(scope.db, repo.id, product);
  const isOff = wanted.state === 'not-configured' || (wanted.state === undefined && Object.keys(wanted).length === 0);
  if (!isOff) checkAnalysers(scope, product, wanted);
  if (wanted.state === undefined && !before && Object.keys(wanted).length > 0)
    throw unprocessable(`${titles[product]} is not configured: the state has to be configured, too.`);
  const state = wanted.state ?? (before ? 'configured' : 'not-configured');
  if (product === 'code_scanning') await checkEnforced(scope.db, repo.id, { ...wanted, state });
  if (state === 'not-configured') {
    if (before) await scope.change((scope) => turnOff(scope, action, product));
    return undefined;
  }
  const options = optionsAfter(product, before, wanted);
  if (before && isSame(before, options)) return undefined;
  const branch = await defaultBranchOf(scope, repo);
  const title = `${repo.default_branch} after a change of the setup`;
  const prepared =
    branch && (await prepareAnalysis(scope, repo, { product, ...options }, { ...branch, title, actor: by.account?.id }));
  if (!prepared) throw unprocessable(await reasonOf(scope, repo, product));
  const [problem] = prepared.problems;
  if (problem !== undefined) throw unprocessable(problem);
  return scope.change(async (scope) => {
    orNotFound(await lockRepository(scope.tx, repo.id));
    const current = await findSetup(scope.tx, repo.id, product);
    if (current?.updated_at.getTime() !== before?.updated_at.getTime())
      throw conflict('The setup was changed by another request meanwhile.');
    await putSetup(scope.tx, newRow(product, repo.id, { options, before, actor: by.account?.id, now }));
    await recordChange(scope, action, product, 'configured');
    const run = await createRun(scope, prepared.run);
    if (!run) throw unprocessable('Workflows are disabled for this repository, so that no analysis could run.');
    return run.id;
  });
}

/** Why no language of a repository can be analysed. */
async function reasonOf(scope: ServedScope, repo: RepositoryWithOwner, product: AnalysedProduct): Promise<string> {
  const found = await detectLanguages(scope, repo);
  const languages = found.length === 0 ? 'it has none that is known' : `it has ${found.join(', ')}`;
  const known = [...scope.services.analysers[product].keys()].join(', ');
  return (
    `${titles[product]} can't be configured: no language of this repository has an analyser ` +
    `(${languages}; there are analysers for ${known}). ${analysersHint}`
  );
}

/** Refuses a setup for which the operator named no analyser. @throws Refusal 422 */
function checkAnalysers(
  { services: { analysers } }: ServedScope,
  product: AnalysedProduct,
  { languages = [] }: CodeScanningSetupChange,
): void {
  const named = analysers[product];
  if (named.size === 0)
    throw unprocessable(`${titles[product]} can't be configured: this server has no analyser of code for it. ${analysersHint}`);
  const missing = languages.filter((language) => !named.has(language));
  if (missing.length > 0) {
    const message = `languages: this server has no analyser for ${missing.join(', ')}. ${analysersHint}`;
    throw invalid(resources[product], 'languages', 'invalid', message);
  }
}

/** Refuses what the configuration of the organization doesn't allow. @throws Refusal 422 */
async function checkEnforced(db: Db, repository: Id<'repositories'>, wanted: CodeScanningSetupChange): Promise<void> {
  const enforced = await findEnforcedSetup(db, repository);
  if (!enforced) return;
  const differs = (['state', 'runner_type', 'runner_label'] as const).find(
    (name) => enforced[name] !== undefined && wanted[name] !== undefined && wanted[name] !== enforced[name],
  );
  if (differs !== undefined)
    throw unprocessable(
      `The ${differs} of the default setup is enforced by the code security configuration of the organization.`,
    );
}

/** The options of a setup after a change. @throws Refusal 422 if they contradict one another */
function optionsAfter(product: AnalysedProduct, before: SetupRow | undefined, wanted: CodeScanningSetupChange): Options {
  const runner_type = wanted.runner_type ?? before?.runner_type ?? 'standard';
  const label = wanted.runner_label === undefined ? (before?.runner_label ?? null) : wanted.runner_label;
  const wrong = (message: string) => invalid(resources[product], 'runner_label', 'invalid', `runner_label ${message}`);
  if (wanted.runner_label && runner_type === 'standard') throw wrong('is for the runner_type labeled');
  if (label?.trim() === '') throw wrong('is empty');
  const { languages = before?.languages } = wanted;
  return {
    languages: languages && languages.length > 0 ? [...new Set(languages)].sort() : null,
    query_suite: wanted.query_suite ?? before?.query_suite ?? 'default',
    threat_model: wanted.threat_model ?? before?.threat_model ?? 'remote',
    runner_type,
    runner_label: runner_type === 'labeled' ? (label ?? defaultLabels[product]) : null,
  };
}

const isSame = (before: SetupRow, options: Options): boolean =>
  JSON.stringify(options) ===
  JSON.stringify({
    languages: before.languages,
    query_suite: before.query_suite,
    threat_model: before.threat_model,
    runner_type: before.runner_type,
    runner_label: before.runner_label,
  } satisfies Options);

type Change = { options: Options; before: SetupRow | undefined; actor: Id<'accounts'> | undefined; now: Date };

const newRow = (
  product: AnalysedProduct,
  repository_id: Id<'repositories'>,
  { options, before, actor, now }: Change,
): Parameters<typeof putSetup>[1] => ({
  repository_id,
  product,
  ...options,
  actor_id: actor ?? null,
  next_run_at: before?.next_run_at ?? nextWeekly(repository_id, now),
  created_at: before?.created_at ?? now,
  updated_at: now,
});

type SetupAction = Parameters<typeof inRepository>[0];

const recordChange = (
  scope: WriteScope,
  action: SetupAction,
  product: AnalysedProduct,
  state: 'configured' | 'not-configured',
): Promise<void> => record(scope.tx, { ...inRepository(action), kind: 'default_setup.changed', data: { product, state } });

/** Turns a setup off. Its runs go on, and its results stay. */
async function turnOff(scope: WriteScope, action: SetupAction, product: AnalysedProduct): Promise<void> {
  await removeSetup(scope.tx, { repository_id: action.repo.id, product });
  await recordChange(scope, action, product, 'not-configured');
}

/**
 * Gives a repository the setup of code scanning that its organization wants, also if none of its languages has an analyser yet.
 * @returns the setup to analyse; undefined if it was the same before, or is turned off
 */
export async function applySetup(
  scope: WriteScope,
  action: SetupAction,
  { state, ...wanted }: WantedSetup,
): Promise<Analysis | undefined> {
  const product = 'code_scanning';
  const { repo, by, now } = action;
  if (!(await lockRepository(scope.tx, repo.id))) return undefined;
  const before = await findSetup(scope.tx, repo.id, product);
  if (state === 'not-configured') {
    if (before) await turnOff(scope, action, product);
    return undefined;
  }
  const options = optionsAfter(product, before, defined(wanted));
  if (before && isSame(before, options)) return undefined;
  await putSetup(scope.tx, newRow(product, repo.id, { options, before, actor: by.account?.id, now }));
  await recordChange(scope, action, product, state);
  return { product, ...options };
}
