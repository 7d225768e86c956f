// Starting searches for updates: each is a run of a workflow that the server writes.
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { JobContext } from '#endpoint/job-context.ts';
import type { Oid } from '#git/objects/oid.ts';
import { findBranch } from '#git/refs/refs.ts';
import { repoOf, repositoryExists } from '#git/store.ts';
import type { Id } from '#lib/id.ts';
import { fixedValue } from '#lib/limits.ts';
import { listUsableRegistries } from '#resources/actions/private-registries/index.ts';
import { createRun, prepareDynamicRun, runScope } from '#resources/actions/workflow-runs/index.ts';
import { dependencyBotOn } from '#resources/repositories/apps/index.ts';
import type { RepositoryWithOwner } from '#resources/repositories/repositories/index.ts';
import { RequestRefused, type UpdateRequest, updatesWorkflow, updateWorkflow } from '#resources/security/dependency-bot/index.ts';
import { updateLimits } from './limits.ts';
import { configuredRegistries } from './settings.ts';
import { countRunning, findLastRecreation, findLastUpdate, insertUpdate, type PullOptions, type Target } from './store.ts';

export type WantedUpdate = {
  readonly repository: RepositoryWithOwner;
  readonly targetBranch: string;
  /** What to look for. The updates that are proposed already are in `open`. */
  readonly request: Omit<UpdateRequest, 'open'>;
  readonly open: UpdateRequest['open'];
  readonly options: PullOptions;
  /** The pull request that is recreated. */
  readonly recreates?: Id<'issues'>;
  /** The last commit of its branch, which somebody else has made, and which is to be replaced. */
  readonly overwrites?: Oid | undefined;
  /** It isn't started if the search before it had the same request, or that and the same commit. Omitted: `commit`. */
  readonly unlessSame?: 'commit' | 'request' | 'never';
};

const registryTypes: { readonly [Name in Target['ecosystem']]: string } = {
  npm: 'npm_registry',
  pip: 'python_index',
  gomod: 'goproxy_server',
};

const jobMinutes = fixedValue(updateLimits.jobTime) / 60_000;

/** Starts a search, unless an equal one is running, or the last one looked for the same (`unlessSame`). */
export async function startUpdate(context: JobContext, wanted: WantedUpdate): Promise<void> {
  const { scope, services, now } = context;
  const { repository, targetBranch, request, open, options, recreates, overwrites, unlessSame = 'commit' } = wanted;
  if (repository.archived) return;
  const target: Target = {
    repository_id: repository.id,
    ecosystem: request.ecosystem,
    directory: request.directory,
    kind: request.kind,
    target_branch: targetBranch,
  };
  const base = await headOf(services, repository, targetBranch);
  if (base === undefined) return;
  const last = recreates === undefined ? await findLastUpdate(scope.db, target) : await findLastRecreation(scope.db, recreates);
  if (last?.state === 'running') return;
  if ((await countRunning(scope.db, repository.id)) >= fixedValue(updateLimits.running)) return;
  const stored: UpdateRequest = { ...request, open: [] };
  const isSame =
    last !== undefined && isDeepStrictEqual(last.request, stored) && (unlessSame === 'request' || last.base_sha === base);
  if (isSame && unlessSame !== 'never') return;
  const row = {
    ...target,
    base_sha: base,
    request: stored,
    options,
    recreates_id: recreates ?? null,
    overwrites_sha: overwrites ?? null,
    created_at: now,
  };
  const usable = await listUsableRegistries(scope.db, services.secrets, repository);
  const registries = usable.filter(({ registry_type }) => registry_type === registryTypes[request.ecosystem]);
  const failed = (problem: string) =>
    scope.change(({ tx }) => insertUpdate(tx, { ...row, run_id: null, state: 'failed', problem, ended_at: now }));
  const content = await updateWorkflow(
    { ...request, open },
    { runsOn: services.dependencyBotRunner, timeoutMinutes: jobMinutes, registries: registries.map(({ name }) => name) },
  ).catch((error: unknown) => {
    if (error instanceof RequestRefused) return error;
    throw error;
  });
  if (content instanceof RequestRefused) return void (await failed(content.message));
  const bot = await scope.change((scope) => dependencyBotOn(scope.tx, repository.owner_id, now));
  const prepared = await prepareDynamicRun(scope, {
    repository,
    workflow: updatesWorkflow,
    content,
    title: titleOf(request),
    sha: base,
    branch: targetBranch,
    // Its job can't write caches, which jobs of the branch would use.
    isForBranch: false,
    actor: bot.account.id,
    registries: await configuredRegistries(scope.db, repository.id, {
      ...request,
      targetBranch: targetBranch === repository.default_branch ? undefined : targetBranch,
    }),
  });
  if (!prepared) return;
  await runScope(scope).change(async (scope) => {
    const run = await createRun(scope, prepared);
    const isRunning = run !== undefined && run.status !== 'completed';
    await insertUpdate(scope.tx, {
      ...row,
      run_id: run?.id ?? null,
      ...(isRunning
        ? { state: 'running' as const, problem: null, ended_at: null }
        : { state: 'failed' as const, problem: notStarted(run?.conclusion), ended_at: now }),
    });
  });
}

const notStarted = (conclusion: string | null | undefined): string =>
  conclusion == null ? 'Workflows are disabled in this repository' : `Its run ended with ${conclusion} before it began`;

const titleOf = ({ ecosystem, directory, kind }: Omit<UpdateRequest, 'open'>): string =>
  `${kind === 'security' ? 'Security updates' : 'Version updates'} of ${ecosystem} in ${directory}`;

/** The commit of a branch; undefined if the branch, or Git's repository, doesn't exist. */
export async function headOf(
  { git }: Pick<JobContext['services'], 'git'>,
  { id }: Pick<RepositoryWithOwner, 'id'>,
  branch: string,
): Promise<Oid | undefined> {
  const gitRepository = repoOf(git, id);
  return (await repositoryExists(gitRepository)) ? (await findBranch(gitRepository, branch))?.oid : undefined;
}

/** A short text that differs where what is updated differs. */
export const digestOf = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex');
