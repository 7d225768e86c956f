// Reads the configuration files of default branches when these change.
import { isDeepStrictEqual } from 'node:util';
import type { JobContext } from '#endpoint/job-context.ts';
import { batchSubscription } from '#events/subscription.ts';
import { openObjects } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import { branchRef } from '#git/refs/ref-name.ts';
import { repoOf, repositoryExists } from '#git/store.ts';
import { enqueueAll, job } from '#jobs/job.ts';
import { gather } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { fixedValue } from '#lib/limits.ts';
import {
  defaultBranchChanges,
  listWithChangedDefaultBranch,
  loadNamedRepositories,
  lockRepository,
  type RepositoryWithOwner,
} from '#resources/repositories/repositories/index.ts';
import { botLimits, configPaths, parseConfig, type UpdateEntry } from '#resources/security/dependency-bot/index.ts';
import { type ConfigRow, listSchedules, loadConfigs, putConfig, removeConfig, replaceSchedules } from './config-store.ts';

/** Queues reading the files that have changed. A push that doesn't change one costs no statement of its own. */
export const followConfigs = batchSubscription<(typeof defaultBranchChanges)[number], JobContext>({
  name: 'dependency-updates.follow-configs',
  on: defaultBranchChanges,
  attempts: 10,
  async runAll(events, { db, scope, services, change }) {
    const repositories = await listWithChangedDefaultBranch(scope, events);
    const known = await loadConfigs(db, gather(repositories, 'id'));
    const changed: Id<'repositories'>[] = [];
    for (const repository of repositories) {
      const found = await findConfig(services.git, repository);
      const row = known.get(repository.id);
      if (found?.oid !== row?.oid || found?.path !== row?.path) changed.push(repository.id);
    }
    if (changed.length === 0) return;
    await change(({ tx }) =>
      enqueueAll(
        tx,
        readConfigs,
        changed.map((repository) => ({
          payload: { repository },
          options: { queue: `dependency-updates:${repository}`, key: `dependency-updates.read-config:${repository}` },
        })),
      ),
    );
  },
});

type FoundConfig = { readonly path: string; readonly oid: Oid };

/** The configuration file of a default branch. */
async function findConfig(git: JobContext['services']['git'], repository: RepositoryWithOwner): Promise<FoundConfig | undefined> {
  const gitRepository = repoOf(git, repository.id);
  if (!(await repositoryExists(gitRepository))) return undefined;
  await using reader = await openObjects(gitRepository);
  const head = await reader.findInfo(branchRef(repository.default_branch), { peel: 'commit' });
  if (!head) return undefined;
  for (const path of configPaths) {
    const folder = await reader.findFolder(head.oid, path.slice(0, path.indexOf('/')));
    const entries = folder ? await reader.getTree(folder.oid) : [];
    const entry = entries.find(({ name, type }) => type === 'blob' && name === path.slice(path.indexOf('/') + 1));
    if (entry) return { path, oid: entry.oid };
  }
  return undefined;
}

/** Reads the configuration file of a repository. Entries that are new or have changed begin at once. */
export const readConfigs = job<{ readonly repository: Id<'repositories'> }, JobContext>({
  name: 'dependency-updates.read-config',
  attempts: 10,
  async run({ repository: id }, { db, services, change, now }) {
    const repository = (await loadNamedRepositories(db, [id])).get(id);
    const found = repository && (await findConfig(services.git, repository));
    if (!repository) return;
    const row = found && { repository_id: id, ...found, ...(await contentOf(services.git, repository, found.oid)) };
    await change(async ({ tx }) => {
      await lockRepository(tx, id);
      const before = (await loadConfigs(tx, [id])).get(id);
      if (!row) return void (await removeConfig(tx, id));
      const times = new Map((await listSchedules(tx, id)).map(({ entry, next_at }) => [entry, next_at]));
      await putConfig(tx, row);
      const entries = row.config?.updates ?? [];
      await replaceSchedules(
        tx,
        id,
        entries.map((entry, at) => ({ entry: at, next_at: keptTime(before, entry, times, now) })),
      );
    });
  },
});

/** The time of an entry that was there before, and the present one for others. */
function keptTime(
  before: ConfigRow | undefined,
  entry: UpdateEntry,
  times: ReadonlyMap<number, Date | null>,
  now: Date,
): Date | null {
  // What was stored has no undefined fields.
  const stored: unknown = JSON.parse(JSON.stringify(entry));
  const at = before?.config?.updates.findIndex((one) => isDeepStrictEqual(one, stored)) ?? -1;
  const time = times.get(at);
  return time === undefined ? now : time;
}

const maxBytes = fixedValue(botLimits.configSize);

async function contentOf(
  git: JobContext['services']['git'],
  repository: RepositoryWithOwner,
  oid: Oid,
): Promise<Pick<ConfigRow, 'config' | 'problems'>> {
  await using reader = await openObjects(repoOf(git, repository.id));
  if ((await reader.sizeOf(oid)) > maxBytes)
    return { config: null, problems: [{ message: `The file has more than ${maxBytes / 1024} KiB`, line: 1 }] };
  const { data } = await reader.get(oid, { type: 'blob' });
  const { config = null, problems } = await parseConfig(data.toString('utf8'), {
    key: `owner ${repository.owner_id}`,
    kind: 'signed_in',
  });
  return { config, problems };
}
