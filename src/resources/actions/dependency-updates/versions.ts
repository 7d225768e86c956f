// Version updates: what the configuration files of repositories ask for, at their times.
import type { JobContext } from '#endpoint/job-context.ts';
import { listTree } from '#git/objects/tree-list.ts';
import { repoOf } from '#git/store.ts';
import { enqueue, job } from '#jobs/job.ts';
import { stepsOf } from '#jobs/repeat.ts';
import { gather } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { fixedValue } from '#lib/limits.ts';
import { stepsOfAllWork } from '#lib/pattern-steps.ts';
import { loadNamedRepositories, type RepositoryWithOwner } from '#resources/repositories/repositories/index.ts';
import { directoriesOf, manifestFolders, nextTime } from '#resources/security/dependency-bot/index.ts';
import { listDue, loadConfigs, passSchedule } from './config-store.ts';
import { ignoresInRequest } from './ignores.ts';
import { updateLimits } from './limits.ts';
import { openUpdates } from './requests.ts';
import { optionsOf } from './settings.ts';
import { headOf, startUpdate } from './start.ts';
import { listIgnores } from './store.ts';

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
        await enqueue(tx, lookForVersions, { repository, entry: at }, { queue: `dependency-updates:${repository}` });
      });
    }
  },
});

type Payload = { readonly repository: Id<'repositories'>; readonly entry: number };

/** Starts searches for the directories of an entry. */
export const lookForVersions = job<Payload, JobContext>({
  name: 'dependency-updates.look-for-versions',
  attempts: 5,
  async run({ repository: id, entry: at }, context) {
    const repository = (await loadNamedRepositories(context.db, [id])).get(id);
    const entry = (await loadConfigs(context.db, [id])).get(id)?.config?.updates[at];
    // In a fork, the file is that of the repository it comes from: security updates tell that somebody wants the bot there.
    if (!repository || (repository.parent_id !== null && !repository.dependency_bot_security_updates)) return;
    if (repository.archived || !entry || entry.version.limit === 0) return;
    const targetBranch = entry.targetBranch ?? repository.default_branch;
    const paths = await pathsOf(context, repository, targetBranch);
    if (!paths) return;
    const manifests = await manifestFolders(entry.ecosystem, paths);
    const ignores = ignoresInRequest(await listIgnores(context.db, id, entry.ecosystem));
    const directories = (await directoriesOf(entry, manifests, stepsOfAllWork())).filter((one) => manifests.has(one));
    for (const directory of stepsOf(context, directories.slice(0, maxDirectories))) {
      const { ecosystem } = entry;
      await startUpdate(context, {
        repository,
        targetBranch,
        request: {
          ecosystem,
          directory,
          kind: 'version',
          version: { ...entry.version, ignore: [...entry.version.ignore, ...ignores] },
        },
        open: await openUpdates(context.db, id, { ecosystem, directory }),
        options: optionsOf(entry),
        unlessSame: 'never',
      });
    }
  },
});

const maxDirectories = fixedValue(updateLimits.directories);

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
