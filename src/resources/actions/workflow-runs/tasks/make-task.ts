// The task that a runner gets for a job. This module is independent of the runner protocol.

import type { Db } from '#database/connect.ts';
import type { Links } from '#endpoint/links.ts';
import type { Needs, WriteScope } from '#endpoint/scope.ts';
import type { Id } from '#lib/id.ts';
import { fixedValue } from '#lib/limits.ts';
import type { Secrets } from '#lib/secrets.ts';
import { addMinutes } from '#lib/time.ts';
import { loadEnvironmentSecrets, loadSecretsForJob } from '#resources/actions/actions-secrets/index.ts';
import { loadVariablesForJob } from '#resources/actions/actions-variables/index.ts';
import { loadBotSecretsForJob } from '#resources/actions/dependency-bot-secrets/index.ts';
import { findBranchProtection } from '#resources/actions/environments/index.ts';
import { issuerOf, type JobIdentity } from '#resources/actions/identity-tokens/index.ts';
import { loadActionsPolicy } from '#resources/repositories/actions-permissions/index.ts';
import { createJobToken } from '#resources/repositories/apps/index.ts';
import { listReadableByBot, updatesWorkflow } from '#resources/security/dependency-bot/index.ts';
import { strategyContext } from '#workflow-files/calls.ts';
import { budget, ExpressionProblem, type Json, newBudget } from '#workflow-files/expressions.ts';
import { dynamicPath, lineOf } from '#workflow-files/file.ts';
import { typedInputs } from '#workflow-files/inputs.ts';
import { permissionsOfCalled } from '#workflow-files/permissions.ts';
import type { JobResult } from '#workflow-files/plan.ts';
import { fileForRunner } from '#workflow-files/runner-job.ts';
import { namesOfSteps } from '#workflow-files/step-names.ts';
import { forkRights } from '../approval/admission.ts';
import type { FoundJob, TakenJob } from '../jobs/claim.ts';
import { runLimits } from '../limits.ts';
import { maskOfSecrets, type SecretMask } from '../logs/secret-mask.ts';
import { loadWorkflow } from '../planning/called-files.ts';
import { handedSecrets, loadHappened, needsOf, type Standing, standingOf } from '../planning/called-jobs.ts';
import { loadContextFacts } from '../planning/context-facts.ts';
import { githubContext } from '../planning/contexts.ts';
import { planOf } from '../planning/kept-plan.ts';
import { isDynamic } from '../runs/dynamic.ts';
import { putSteps } from '../states/steps.ts';
import { type JobRow, updateJob } from '../store.ts';
import { identityRequest, loadIdentity } from './identity.ts';
import { RegistryRefused, registriesOf } from './registries.ts';
import { findRegistrySecrets, sealRegistrySecrets } from './registry-secrets.ts';
import { putRegistrySecrets } from './registry-secrets-store.ts';
import { readableRefs, signRuntimeToken } from './runtime-token.ts';
import { actionsPath, findMissingAction } from './used-actions.ts';

/** Everything that a runner needs to run a job. */
export type Task = {
  readonly job: JobRow;
  /** The workflow file with only this job. */
  readonly file: string;
  /** The context `github`. */
  readonly context: { readonly [name: string]: Json };
  readonly token: string;
  readonly secrets: { readonly [name: string]: string };
  readonly vars: { readonly [name: string]: string };
  readonly needs: { readonly [id: string]: JobResult };
};

/** Why a job can't run, and the related line of the run's file. */
export class TaskProblem extends Error {
  readonly line: number | undefined;

  constructor(message: string, line?: number) {
    super(message);
    this.line = line;
  }
}

const maxMaskedLines = fixedValue(runLimits.maskedLines);
const usualMinutes = fixedValue(runLimits.jobTime) / 60_000;
/** The variables that turn on debug output of runners (the public API's names). */
const debugSecrets = { ACTIONS_STEP_DEBUG: 'true', ACTIONS_RUNNER_DEBUG: 'true' };
/** How many minutes a token stays valid after its job's time limit, since runners report the end a little later. */
const tokenMinutesBeyond = 15;

/** Issues an identity token of a job. Transactions don't wait for it. */
type IssueToken = (job: {
  readonly identity: JobIdentity;
  readonly links: Links;
  readonly audience: string | undefined;
}) => Promise<string>;

type TaskScope = WriteScope & Needs<'secrets' | 'actionsOrigin' | 'registryExchanges'>;

/**
 * Creates the task of a job that was just taken. Its token ends with the job.
 * @throws TaskProblem if that isn't possible
 */
export async function makeTask(scope: TaskScope, taken: FoundJob, issueToken: IssueToken): Promise<Task> {
  const { tx, links, now, services } = scope;
  const { secrets, actionsOrigin } = services;
  const { job, run, labels } = taken;
  const workflow = await loadWorkflow(tx, run);
  const facts = await loadContextFacts(tx, run, links);
  const standing = workflow && standingOf(workflow, job);
  if (!standing || !facts) throw new TaskProblem('Its workflow file has no such job');
  const { own, id, definition, calls } = standing;
  const { combination, timeoutMinutes } = planOf(job);
  const minutes = timeoutMinutes ?? usualMinutes;
  const call = calls.at(-1);
  const repository = { ...facts.repository, id: run.repository_id, owner_id: run.owner_id };
  const missing =
    actionsOrigin === undefined && (await findMissingAction(tx, definition, { ...repository, is_from_fork: run.is_from_fork }));
  if (missing)
    throw new TaskProblem(
      `${missing.name} was not found: this server has no such repository that shares its actions, and no origin of ` +
        'actions is configured',
      calls.length === 0 ? missing.line : undefined,
    );
  const registries = await registriesFor(scope, run, standing, async (needed) => {
    const identity = await loadIdentity(tx, taken, facts, workflow);
    const holder = { id: job.id, issuer: issuerOf(links), isHosted: job.hosted_runner_id !== null };
    const issue = (audience: string | undefined) => issueToken({ identity, links, audience });
    return services.registryExchanges.require(needed.map((registry) => ({ registry, job: holder, issueToken: issue, now })));
  });
  const file = refusing(() =>
    fileForRunner(own.file, {
      id,
      name: job.name,
      combination,
      labels,
      timeoutMinutes: minutes,
      added: registries?.steps,
      called: call && { workflow: workflow.file.source.name, inputs: call.inputs },
    }),
  );
  if (file === undefined) throw new TaskProblem('Its workflow file has no such job');
  const policy = await loadActionsPolicy(tx, { id: run.repository_id, owner_id: run.owner_id });
  const rights = forkRights(policy, facts.repository);
  const { token: permissions, identity } = permissionsOfCalled(workflow, calls, id, {
    // The public API's rule for what the dependency bot starts.
    byDefault: run.secret_source === 'dependency_bot' ? 'read' : policy.defaultTokenPermissions,
    mayWrite: !run.is_from_fork || rights.writeTokens,
  });
  const until = addMinutes(now, minutes + tokenMinutesBeyond);
  const { token, row } = await createJobToken(tx, {
    repositories: [run.repository_id, ...(await readableBeside(tx, run))],
    owner_id: run.owner_id,
    permissions,
    expiresAt: until,
    now,
  });
  const readable = readableRefs(run, facts.repository.default_branch);
  const identityAt = identity === 'write' && identityRequest(links, secrets, { id: job.id, token_id: row.id }, until);
  const happened = definition.needs.length + calls.length > 0 ? await loadHappened(tx, run, facts, standing) : undefined;
  const mayHaveSecrets = (!run.is_from_fork || rights.secrets) && run.secret_source !== 'none';
  const hand = (all: NamedSecrets): NamedSecrets =>
    happened ? refusing(() => handedSecrets(happened, standing, { ...all, GITHUB_TOKEN: token })) : all;
  const github = { ...githubContext(run, facts), job: id };
  const given = {
    context: {
      ...github,
      token,
      // The same for all jobs: runners cache what they read, and later contact the same address again.
      gitea_default_actions_url: `${links.html}${actionsPath}`,
      gitea_runtime_token: await signRuntimeToken(secrets, { ...job, token_id: row.id }, { readable, now, until }),
      retention_days: String(policy.retentionDays),
      ...(identityAt && { actions_id_token_request_url: identityAt.url, actions_id_token_request_token: identityAt.token }),
      ref_protected: (await findBranchProtection(tx, run.repository_id, run.ref ?? undefined)).isThis,
    },
    secrets: {
      ...(mayHaveSecrets ? await secretsOf(tx, secrets, { job, run }, hand) : hand({})),
      ...registries?.secrets,
      ...(run.debugs ? debugSecrets : {}),
      GITHUB_TOKEN: token,
    },
    vars: Object.fromEntries(await loadVariablesForJob(tx, jobEnvironmentOf({ job, run }))),
    needs: happened ? needsOf(happened, standing) : {},
  };
  if (registries) await putRegistrySecrets(tx, job.id, sealRegistrySecrets(secrets, job, Object.values(registries.secrets)));
  await putSteps(tx, stepsOf(job, namesOfOwnSteps({ run, job }, standing, { ...given, context: github })));
  return {
    job: await updateJob(tx, job.id, { token_id: row.id, has_registries: registries !== undefined }),
    file,
    token,
    ...given,
  };
}

/** The repositories that the token of a job may read beside its own: those that an organization lets the dependency bot read. */
const readableBeside = async (db: Db, run: FoundJob['run']): Promise<Id<'repositories'>[]> =>
  isDynamic(run) && run.path === dynamicPath(updatesWorkflow)
    ? (await listReadableByBot(db, run.owner_id)).filter((id) => id !== run.repository_id)
    : [];

/**
 * What selects a job's secrets and variables. The environment is the one that admitted the job, not a later one with the same
 * name.
 */
const jobEnvironmentOf = ({ job, run }: TakenJob) => ({
  repository: run.repository_id,
  environment: job.environment_id ?? undefined,
});

type NamedSecrets = { readonly [name: string]: string };

/**
 * The secrets of a job. Those of the dependency bot replace all others for what it starts (the public API's rule). A fork's pull
 * request has none, since its author could read them, unless a private repository allows it. Jobs of workflows that the server
 * writes have none. A job of a called workflow has the secrets of its environment and those that were passed to it.
 */
async function secretsOf(
  db: Db,
  secrets: Secrets,
  taken: TakenJob,
  hand: (all: NamedSecrets) => NamedSecrets,
): Promise<NamedSecrets> {
  const jobEnvironment = jobEnvironmentOf(taken);
  if (taken.run.secret_source === 'dependency_bot')
    return hand(Object.fromEntries(await loadBotSecretsForJob(db, secrets, taken.run.repository_id)));
  if (planOf(taken.job).calls.length === 0) return Object.fromEntries(await loadSecretsForJob(db, secrets, jobEnvironment));
  const all = Object.fromEntries(await loadSecretsForJob(db, secrets, { repository: jobEnvironment.repository }));
  return { ...hand(all), ...Object.fromEntries(await loadEnvironmentSecrets(db, secrets, jobEnvironment)) };
}

/** The registries that a job names. @throws TaskProblem for one that it can't have */
async function registriesFor(
  { tx, services: { secrets } }: TaskScope,
  run: FoundJob['run'],
  standing: Standing,
  exchange: Parameters<typeof registriesOf>[2]['exchange'],
) {
  try {
    return await registriesOf(tx, secrets, { run, standing, exchange });
  } catch (error) {
    if (!(error instanceof RegistryRefused || error instanceof ExpressionProblem)) throw error;
    // Annotations are on the run's own file.
    throw new TaskProblem(error.message, standing.calls.length === 0 ? lineOf(standing.definition.parts) : undefined);
  }
}

/** The error of an expression, as a problem of the job. */
function refusing<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw error instanceof ExpressionProblem ? new TaskProblem(error.message) : error;
  }
}

/**
 * Hides a job's secrets in what is shown of it. Its runner hides them too, unless it fails to. Undefined if everything must be
 * hidden.
 */
export async function loadSecretMask(db: Db, secrets: Secrets, taken: TakenJob): Promise<SecretMask | undefined> {
  // Secrets that calls passed on are among these, or made from them.
  const own =
    taken.run.secret_source === 'dependency_bot'
      ? await loadBotSecretsForJob(db, secrets, taken.run.repository_id)
      : await loadSecretsForJob(db, secrets, jobEnvironmentOf(taken));
  const registries = await findRegistrySecrets(db, secrets, taken.job);
  return registries && maskOfSecrets([...own.values(), ...registries]);
}

/**
 * The names of the steps in a job's file. Secrets in expressions are hidden by name, and in the results of expressions by value.
 */
function namesOfOwnSteps(
  { run, job }: TakenJob,
  { own, definition, calls }: Standing,
  { context, secrets, vars, needs }: Pick<Task, 'context' | 'secrets' | 'vars' | 'needs'>,
): string[] {
  const { source } = definition;
  const { combination, total, failsFast } = planOf(job);
  const steps = Array.isArray(source.steps) ? (source.steps as { [part: string]: Json }[]) : [];
  const { event } = context as { event?: { inputs?: { [name: string]: Json } | null } };
  const inputs = run.event === 'workflow_dispatch' ? typedInputs(own.file, event?.inputs ?? {}) : {};
  const hidden = Object.fromEntries(Object.keys(secrets).map((name) => [name, '***']));
  const contexts = {
    github: { ...context, token: '***' },
    inputs: calls.at(-1)?.inputs ?? inputs,
    matrix: combination,
    needs,
    secrets: hidden,
    strategy: strategyContext({ combination, index: job.position, total, failsFast, maxParallel: job.max_parallel }),
    vars,
    [budget]: newBudget(),
  };
  const mask = maskOfSecrets(Object.values(secrets));
  if (!mask) throw new TaskProblem(`Its secrets have more than ${maxMaskedLines} lines, which can't be hidden in its log`);
  return namesOfSteps(steps, { contexts, around: [source, own.file.source] }, mask);
}

/** The steps of a job before it runs: the steps of its file, between the two steps that every job has. */
function stepsOf({ id }: JobRow, own: readonly string[]) {
  const names = ['Set up job', ...own, 'Complete job'];
  return names.map((name, at) => ({
    job_id: id,
    number: at + 1,
    name,
    result: null,
    started_at: null,
    completed_at: null,
  }));
}
