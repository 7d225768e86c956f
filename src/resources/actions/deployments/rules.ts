import type { RepositoryAction } from '#access/action.ts';
import { authorize } from '#access/authorize.ts';
import { writesContents } from '#access/policies.ts';
import type { Db, Tx } from '#database/connect.ts';
import type { Scope, WriteScope } from '#endpoint/scope.ts';
import { record, recordEach } from '#events/record.ts';
import { inRepository } from '#events/scope.ts';
import type { Identity } from '#git/objects/identity.ts';
import type { Oid } from '#git/objects/oid.ts';
import { findRef } from '#git/refs/refs.ts';
import { findRevision, isAncestor } from '#git/refs/resolve.ts';
import { repoOf } from '#git/store.ts';
import { unique } from '#lib/collections.ts';
import { fixedValue } from '#lib/limits.ts';
import { forbidden, invalid, Refusal, unprocessable } from '#lib/refusal.ts';
import { isWebAddress } from '#lib/web-address.ts';
import {
  checkEnvironmentName,
  type EnvironmentRow,
  ensureEnvironment,
  findEnvironment,
  takesRef,
} from '#resources/actions/environments/index.ts';
import { merge } from '#resources/code/branches/index.ts';
import { countUnsuccessfulRuns, listLatestNamed } from '#resources/code/checks/index.ts';
import { countStates, listLatestOfContexts } from '#resources/code/commit-statuses/index.ts';
import { emptyRepository, isEmpty } from '#resources/code/commits/index.ts';
import type { MoveScope } from '#resources/code/pushes/index.ts';
import { insertIssueEvents, type NewIssueEvent, viaApp } from '#resources/collaboration/issues/index.ts';
import { deploymentLimits } from './limits.ts';
import type { NewDeployment, NewDeploymentStatus } from './schemas.ts';
import type { DeploymentRow, StatusRow } from './store.ts';
import * as store from './store.ts';

const maxPayload = fixedValue(deploymentLimits.payload);
const heads = 'refs/heads/';

/** The commit to deploy, and the full name of the ref if the request named one. */
type Target = { readonly sha: Oid; readonly ref: string | undefined };

/** A new deployment; or the message of a merge, if the branch lacked commits of the default branch and nothing was deployed. */
type Deployed = { readonly created: DeploymentRow } | { readonly merged: string };

/**
 * Creates a deployment of the current commit of a ref; later moves of the ref don't change it. If the ref is a branch that lacks
 * commits of the default branch, these are merged into it first, and nothing is deployed (`auto_merge`).
 * @throws Refusal 409 if the merge conflicts, or statuses and checks of the commit aren't successful; 422 if the environment
 * doesn't allow the ref
 */
export async function createDeployment(
  scope: MoveScope,
  action: RepositoryAction & { identity: Identity },
  wanted: NewDeployment,
): Promise<Deployed> {
  const { db, change } = scope;
  const { repo } = action;
  const payload = JSON.stringify(wanted.payload);
  if (payload.length > maxPayload)
    throw invalid('Deployment', 'payload', 'too_large', `payload must not exceed ${maxPayload} characters`);
  checkEnvironmentName(wanted.environment, 'Deployment');
  const target = await getTarget(scope, action, wanted.ref);
  await checkTakesRef(db, await findEnvironment(db, repo.id, wanted.environment), target, wanted);
  const merged = wanted.auto_merge ? await mergeDefaultBranch(scope, action, target) : undefined;
  if (merged !== undefined) return { merged };
  await checkContexts(db, action, target.sha, wanted);
  return { created: await change((scope) => writeDeployment(scope, action, { target, payload }, wanted)) };
}

async function getTarget({ git }: Scope, { repo }: RepositoryAction, text: string): Promise<Target> {
  const gitRepository = repoOf(git, repo.id);
  const found = await findRevision(gitRepository, text, { peel: 'commit' });
  if (found?.type === 'commit') return { sha: found.oid, ref: found.ref?.startsWith('refs/') ? found.ref : undefined };
  throw (await isEmpty(gitRepository)) ? emptyRepository() : unprocessable(`No ref found for: ${text}`);
}

async function checkTakesRef(
  db: Db,
  environment: EnvironmentRow | undefined,
  target: Target,
  { ref }: NewDeployment,
): Promise<void> {
  if (!environment || (await takesRef(db, environment, target.ref))) return;
  const message = `${ref} may not be deployed to ${environment.name}: its protection rules don't allow this branch or tag`;
  throw invalid('Deployment', 'ref', 'custom', message);
}

/** Merges the default branch into the branch to deploy, if that lacks some of its commits. Returns a message about the merge. */
async function mergeDefaultBranch(
  scope: MoveScope,
  action: RepositoryAction & { identity: Identity },
  { sha, ref }: Target,
): Promise<string | undefined> {
  const { repo, by } = action;
  const from = repo.default_branch;
  const into = ref?.startsWith(heads) ? ref.slice(heads.length) : from;
  if (into === from) return undefined;
  const gitRepository = repoOf(scope.git, repo.id);
  const source = await findRef(gitRepository, heads + from);
  if (!source || (await isAncestor(gitRepository, source.oid, sha))) return undefined;
  // Write access to deployments doesn't include write access to branches.
  if (!authorize(writesContents, by, { repo }, { write: true }).allowed)
    throw forbidden(
      `${into} lacks commits of ${from}, and you may not merge them. Set auto_merge to false to deploy without them.`,
    );
  await merge(scope, action, { base: into, head: from });
  return `Auto-merged ${from} into ${into} on deployment.`;
}

/**
 * Checks that the requested contexts of a commit succeeded, or all its contexts if the request has no list.
 * @throws Refusal 409
 */
async function checkContexts(
  db: Db,
  { repo }: RepositoryAction,
  commit: Oid,
  { ref, required_contexts }: NewDeployment,
): Promise<void> {
  const key = { repository: repo.id, commit };
  const missing = required_contexts ? await unsuccessful(db, key, unique(required_contexts)) : [];
  const failed = required_contexts ? missing.length > 0 : await hasUnsuccessful(db, key);
  if (!failed) return;
  const message =
    missing.length > 0
      ? `Not successful: ${missing.join(', ')}`
      : 'Not all of the latest statuses and check runs of the commit are successful';
  throw new Refusal('conflict', `Commit status checks failed for ${ref}.`, [
    { resource: 'Deployment', field: 'required_contexts', code: 'invalid', message },
  ]);
}

type CommitKey = Parameters<typeof countStates>[1];

async function hasUnsuccessful(db: Db, key: CommitKey): Promise<boolean> {
  const [{ failed, pending }, runs] = await Promise.all([countStates(db, key), countUnsuccessfulRuns(db, key)]);
  return failed + pending + runs > 0;
}

const goodConclusions: ReadonlySet<string | null> = new Set(['success', 'neutral', 'skipped']);

/** The contexts without a status or check run of the commit, or with one that isn't successful. */
async function unsuccessful(db: Db, key: CommitKey, contexts: readonly string[]): Promise<string[]> {
  const [statuses, runs] = await Promise.all([listLatestOfContexts(db, key, contexts), listLatestNamed(db, key, contexts)]);
  return contexts.filter((context) => {
    const results = [
      ...statuses.filter((status) => status.context === context).map(({ state }) => state === 'success'),
      ...runs.filter(({ name }) => name === context).map(({ conclusion }) => goodConclusions.has(conclusion)),
    ];
    return results.length === 0 || results.includes(false);
  });
}

async function writeDeployment(
  scope: WriteScope,
  action: RepositoryAction,
  { target, payload }: { target: Target; payload: string },
  wanted: NewDeployment,
): Promise<DeploymentRow> {
  const { repo, by, now } = action;
  const environment = await ensureEnvironment(scope.tx, action, wanted.environment);
  await checkTakesRef(scope.tx, environment, target, wanted);
  const row = await store.insertDeployment(scope.tx, {
    repository_id: repo.id,
    sha: target.sha,
    ref: wanted.ref,
    full_ref: target.ref ?? null,
    task: wanted.task,
    original_environment: environment.name,
    environment: environment.name,
    payload,
    description: wanted.description,
    is_transient: wanted.transient_environment,
    is_production: wanted.production_environment ?? environment.name.toLowerCase() === 'production',
    creator_id: by.account.id,
    via_app_id: viaApp(by),
    created_at: now,
    updated_at: now,
  });
  await record(scope.tx, { ...inRepository(action), kind: 'deployment.created', data: { deployment: row.id } });
  await recordInPulls(scope.tx, row, { actor: by.account.id, app: viaApp(by), at: now }, 'deployed');
  return row;
}

/** Adds a deployment to the timelines of the open pull requests with the deployed head. */
export async function recordInPulls(
  tx: Tx,
  { repository_id: repository, sha }: DeploymentRow,
  by: Pick<Parameters<typeof insertIssueEvents>[1], 'actor' | 'app' | 'at'>,
  event: NewIssueEvent['event'],
): Promise<void> {
  for (const issue of await store.listDeployedPulls(tx, repository, sha))
    await insertIssueEvents(tx, { repository, issue, ...by }, [{ event, commit: sha }]);
}

/**
 * Deletes a deployment with its statuses. An active deployment has no status, or a successful one. It can only be deleted if it
 * is the only deployment of the repository (the public API's rule).
 * @throws Refusal 422
 */
export async function deleteDeployment(scope: WriteScope, action: RepositoryAction, deployment: DeploymentRow): Promise<void> {
  const { id, state, environment, sha } = deployment;
  const isActive = state === null || state === 'success';
  if (isActive && (await store.hasOtherDeployment(scope.tx, deployment)))
    throw unprocessable(
      'An active deployment can be deleted only if the repository has no other. Make it inactive by a status first.',
    );
  await store.removeDeployment(scope.tx, id);
  await record(scope.tx, { ...inRepository(action), kind: 'deployment.deleted', data: { environment, sha } });
}

/**
 * Adds a status to a deployment. A successful one makes earlier deployments to the same environment inactive, unless the request
 * says otherwise.
 */
export async function createStatus(
  scope: WriteScope,
  action: RepositoryAction,
  deployment: DeploymentRow,
  wanted: NewDeploymentStatus,
): Promise<StatusRow> {
  const { by, now } = action;
  const { state, description, environment_url, auto_inactive } = wanted;
  const log_url = wanted.log_url || wanted.target_url;
  checkAddresses({ log_url, target_url: wanted.target_url, environment_url });
  const environment = await environmentOf(scope, action, deployment, wanted);
  const made = { creator_id: by.account.id, via_app_id: viaApp(by), created_at: now };
  const after = await store.updateDeployment(scope.tx, deployment.id, { state, environment, updated_at: now });
  const row = await store.insertStatus(scope.tx, {
    deployment_id: deployment.id,
    state,
    description,
    environment,
    log_url,
    environment_url,
    ...made,
  });
  await recordStatuses(scope.tx, action, [{ id: row.id, deployment_id: deployment.id }]);
  if (environment !== deployment.environment)
    await recordInPulls(scope.tx, after, { actor: by.account.id, app: viaApp(by), at: now }, 'deployment_environment_changed');
  if (state === 'success' && auto_inactive)
    await recordStatuses(scope.tx, action, await store.deactivateEarlier(scope.tx, after, made));
  return row;
}

function checkAddresses(addresses: Readonly<Record<string, string>>): void {
  for (const [field, text] of Object.entries(addresses))
    if (text !== '' && !isWebAddress(text))
      throw invalid('DeploymentStatus', field, 'invalid', `${field} must be an address of the web`);
}

/**
 * The environment that a status names, created if it doesn't exist, or else the environment of the deployment.
 * @throws Refusal 422
 */
async function environmentOf(
  scope: WriteScope,
  action: RepositoryAction,
  deployment: DeploymentRow,
  { environment }: NewDeploymentStatus,
): Promise<string> {
  if (environment === undefined || environment.toLowerCase() === deployment.environment.toLowerCase())
    return deployment.environment;
  return (await ensureEnvironment(scope.tx, action, environment)).name;
}

export const recordStatuses = (
  tx: Tx,
  action: Parameters<typeof inRepository>[0],
  statuses: readonly Pick<StatusRow, 'id' | 'deployment_id'>[],
): Promise<void> =>
  recordEach(tx, statuses, ({ id, deployment_id }) => ({
    ...inRepository(action),
    kind: 'deployment_status.created' as const,
    data: { deployment: deployment_id, status: id },
  }));
