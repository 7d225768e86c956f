// Version updates: what the configuration files of repositories ask for, at their times.
import type { Tx } from '#database/connect.ts';
import type { JobContext } from '#endpoint/job-context.ts';
import { listTree } from '#git/objects/tree-list.ts';
import { repoOf } from '#git/store.ts';
import { enqueue, enqueueAll, job } from '#jobs/job.ts';
import { stepsOf } from '#jobs/repeat.ts';
import { gather } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { fixedValue } from '#lib/limits.ts';
import { stepsOfAllWork } from '#lib/pattern-steps.ts';
import { loadNamedRepositories, type RepositoryWithOwner } from '#resources/repositories/repositories/index.ts';
import { directoriesOf, manifestFolders, nextTime, type UpdateEntry } from '#resources/security/dependency-bot/index.ts';
import { listDue, listWaiting, loadConfigs, passSchedule, setWaiting } from './config-store.ts';
import { ignoresInRequest } from './ignores.ts';
import { updateLimits } from './limits.ts';
import { queueOf } from './queue.ts';
import { openUpdates } from './requests.ts';
import { optionsOf } from './settings.ts';
import { headOf, refuseUpdate, startUpdate } from './start.ts';
import { listIgnores, listOpenProposals } from './store.ts';

const batchSize = 500;

/** Queues the entries whose time has come. One whose time passed while no worker ran is looked at once, late. */
export const runSchedules = job<Record<string, never>, JobContext>({
  name: 'dependency-updates.schedule',
  attempts: 1,
  schedule: { cron: '* * * * *', atStart: true },
  async run(_payload, context) {
    const { db, change, now } = context;
    const due = await listDue(db, { until: now, limit: batchSize });
    for (const { times, ...schedule } of stepsOf(context, due)) {
      const { repository_id: repository, entry: at } = schedule;
      const next = times && nextTime(times, now, `${repository}/${at}`);
      await change(async ({ tx }) => {
        if (!(await passSchedule(tx, schedule, next ?? null)) || !times) return;
        await enqueue(tx, lookForVersions, { repository, entry: at }, { queue: queueOf(repository) });
      });
    }
  },
});

type Payload = {
  readonly repository: Id<'repositories'>;
  readonly entry: number;
  /** The directories that waited; undefined for all of the entry. */
  readonly directories?: readonly string[];
};

/** Starts searches for the directories of an entry. Those for which too many are running wait. */
export const lookForVersions = job<Payload, JobContext>({
  name: 'dependency-updates.look-for-versions',
  attempts: 5,
  async run({ repository: id, entry: at, directories: waiting }, context) {
    const { db, change } = context;
    const repository = (await loadNamedRepositories(db, [id])).get(id);
    const config = (await loadConfigs(db, [id])).get(id)?.config ?? null;
    const entry = config?.updates[at];
    // In a fork, the file is that of the repository it comes from: security updates tell that somebody wants the bot there.
    if (!repository || (repository.parent_id !== null && !repository.dependency_bot_security_updates)) return;
    if (repository.archived || !entry || entry.version.limit === 0) return;
    const { ecosystem } = entry;
    const targetBranch = entry.targetBranch ?? repository.default_branch;
    const paths = await pathsOf(context, repository, targetBranch);
    if (!paths) return;
    const [ignored, proposals] = await Promise.all([listIgnores(db, id, ecosystem), listOpenProposals(db, id)]);
    const version = { ...entry.version, ignore: [...entry.version.ignore, ...ignoresInRequest(ignored)] };
    const wantedIn = (directory: string) => ({
      repository,
      targetBranch,
      request: { ecosystem, directory, kind: 'version' as const, version },
      options: optionsOf(entry),
      unlessSame: 'never' as const,
    });
    const { found, refused } = await directoriesFor(entry, paths);
    if (!waiting) for (const { directory, problem } of refused) await refuseUpdate(context, wantedIn(directory), problem);
    const left = new Set(waiting ? found.filter((directory) => waiting.includes(directory)) : found);
    for (const directory of stepsOf(context, [...left])) {
      const open = openUpdates(proposals, { ecosystem, directory });
      if (!(await startUpdate(context, { ...wantedIn(directory), open, config }))) break;
      left.delete(directory);
    }
    await change(({ tx }) => setWaiting(tx, id, at, [...left]));
  },
});

/** Queues the directories of repositories that wait, as searches have ended. */
export async function enqueueWaiting(tx: Tx, repositories: readonly Id<'repositories'>[]): Promise<void> {
  const rows = repositories.length === 0 ? [] : await listWaiting(tx, repositories);
  const entries = rows.map(({ repository_id: repository, entry, waiting }) => ({
    payload: { repository, entry, directories: waiting },
    options: { queue: queueOf(repository), key: `dependency-updates.look-for-waiting:${repository}/${entry}` },
  }));
  await enqueueAll(tx, lookForVersions, entries);
}

const maxDirectories = fixedValue(updateLimits.directories);

type Directories = {
  readonly found: string[];
  readonly refused: readonly { readonly directory: string; readonly problem: string }[];
};

/** The directories of an entry with manifests, and those that are left out. */
async function directoriesFor(entry: UpdateEntry, paths: readonly string[]): Promise<Directories> {
  const manifests = await manifestFolders(entry.ecosystem, paths);
  const [found, empty] = [[] as string[], [] as string[]];
  for (const directory of await directoriesOf(entry, manifests, stepsOfAllWork()))
    (manifests.has(directory) ? found : empty).push(directory);
  const [first, ...others] = found.slice(maxDirectories);
  const beyond = `An entry looks in ${maxDirectories} directories at most: this one and ${others.length} others are left out`;
  return {
    found: found.slice(0, maxDirectories),
    refused: [
      ...empty.map((directory) => ({ directory, problem: `It has no ${manifestNames[entry.ecosystem]}` })),
      ...(first === undefined ? [] : [{ directory: first, problem: beyond }]),
    ],
  };
}

const manifestNames = { npm: 'package.json', pip: 'file of requirements', gomod: 'go.mod' } as const;

/** The files of a branch; undefined if it doesn't exist. */
async function pathsOf(
  { services }: JobContext,
  repository: RepositoryWithOwner,
  branch: string,
): Promise<readonly string[] | undefined> {
  const head = await headOf(services, repository, branch);
  if (head === undefined) return undefined;
  const { entries } = await listTree(repoOf(services.git, repository.id), head, {
    recursive: true,
    limit: fixedValue(updateLimits.files),
  });
  return gather(entries, 'path');
}
