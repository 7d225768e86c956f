// Starting searches for updates: each is a run of a workflow that the server writes.
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { JobContext } from '#endpoint/job-context.ts';
import type { Oid } from '#git/objects/oid.ts';
import { findBranch } from '#git/refs/refs.ts';
import { repoOf, repositoryExists } from '#git/store.ts';
import type { Id } from '#lib/id.ts';
import { fixedValue } from '#lib/limits.ts';
import { listRegistriesForServer } from '#resources/actions/private-registries/index.ts';
import { createRun, prepareDynamicRun, runScope } from '#resources/actions/workflow-runs/index.ts';
import { dependencyBotOn } from '#resources/repositories/apps/index.ts';
import type { RepositoryWithOwner } from '#resources/repositories/repositories/index.ts';
import {
  type BotConfig,
  RequestRefused,
  type UpdateRequest,
  updatesWorkflow,
  updateWorkflow,
} from '#resources/security/dependency-bot/index.ts';
import { updateLimits } from './limits.ts';
import { configuredRegistries, registryTypeOf } from './settings.ts';
import { countRunning, findLastRecreation, findLastUpdate, insertUpdate, type NewUpdate, type PullOptions } from './store.ts';

export type WantedUpdate = {
  readonly repository: RepositoryWithOwner;
  readonly targetBranch: string;
  /** What to look for. The updates that are proposed already are in `open`. */
  readonly request: Omit<UpdateRequest, 'open'>;
  readonly open: UpdateRequest['open'];
  /** The configuration file of the repository, which may have registries. */
  readonly config: BotConfig | null;
  readonly options: PullOptions;
  /** The pull request that is recreated. */
  readonly recreates?: Id<'issues'>;
  /** The last commit of its branch, which somebody else has made, and which is to be replaced. */
  readonly overwrites?: Oid | undefined;
  /** It isn't started if the search before it had the same request, or that and the same commit. Omitted: `commit`. */
  readonly unlessSame?: 'commit' | 'request' | 'never';
};

const jobMinutes = fixedValue(updateLimits.jobTime) / 60_000;

/**
 * Starts a search, unless an equal one is running, or the last one looked for the same (`unlessSame`).
 * @returns false if so many searches of the repository are running that it has to wait
 */
export async function startUpdate(context: JobContext, wanted: WantedUpdate): Promise<boolean> {
  const { scope, services, now } = context;
  const { repository, targetBranch, recreates, unlessSame = 'commit' } = wanted;
  if (repository.archived) return true;
  const base = await headOf(services, repository, targetBranch);
  if (base === undefined) return true;
  const row = rowOf(wanted, base, now);
  const last = recreates === undefined ? await findLastUpdate(scope.db, row) : await findLastRecreation(scope.db, recreates);
  if (last?.state === 'running') return true;
  const isSame =
    last !== undefined && isDeepStrictEqual(last.request, row.request) && (unlessSame === 'request' || last.base_sha === base);
  if (isSame && unlessSame !== 'never') return true;
  if ((await countRunning(scope.db, repository.id)) >= fixedValue(updateLimits.running)) return false;
  await beginUpdate(context, wanted, row);
  return true;
}

/** Records that a search can't be made. */
export async function refuseUpdate(
  { scope, services, now }: JobContext,
  wanted: Omit<WantedUpdate, 'open' | 'config'>,
  problem: string,
): Promise<void> {
  const base = await headOf(services, wanted.repository, wanted.targetBranch);
  if (base === undefined) return;
  const row = { ...rowOf(wanted, base, now), run_id: null, state: 'failed' as const, problem, ended_at: now };
  await scope.change(({ tx }) => insertUpdate(tx, row));
}

const rowOf = (
  { repository, targetBranch, request, options, recreates, overwrites }: Omit<WantedUpdate, 'open' | 'config'>,
  base: Oid,
  now: Date,
): Omit<NewUpdate, 'run_id'> => ({
  repository_id: repository.id,
  ecosystem: request.ecosystem,
  directory: request.directory,
  kind: request.kind,
  target_branch: targetBranch,
  base_sha: base,
  request: { ...request, open: [] },
  options,
  recreates_id: recreates ?? null,
  overwrites_sha: overwrites ?? null,
  created_at: now,
});

/** Creates the run of a search. */
async function beginUpdate(context: JobContext, wanted: WantedUpdate, row: Omit<NewUpdate, 'run_id'>): Promise<void> {
  const { scope, services, now } = context;
  const { repository, targetBranch, request, open, config } = wanted;
  const registries = await listRegistriesForServer(scope.db, services.secrets, repository, registryTypeOf(request.ecosystem));
  const content = await updateWorkflow(
    { ...request, open },
    { runsOn: services.dependencyBotRunner, timeoutMinutes: jobMinutes, registries: registries.granted },
  ).catch((error: unknown) => {
    if (error instanceof RequestRefused) return error;
    throw error;
  });
  if (content instanceof RequestRefused) return refuseUpdate(context, wanted, content.message);
  const bot = await scope.change((scope) => dependencyBotOn(scope.tx, repository.owner_id, now));
  const prepared = await prepareDynamicRun(scope, {
    repository,
    workflow: updatesWorkflow,
    content,
    title: titleOf(request),
    sha: row.base_sha,
    branch: targetBranch,
    // Its job can't write caches, which jobs of the branch would use.
    isForBranch: false,
    actor: bot.account.id,
    registries: await configuredRegistries(config, {
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
