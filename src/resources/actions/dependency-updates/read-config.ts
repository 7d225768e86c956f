// Reads the configuration files of default branches.

import type { Tx } from '#database/connect.ts';
import type { JobContext } from '#endpoint/job-context.ts';
import { openObjects } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import { repoOf } from '#git/store.ts';
import { job } from '#jobs/job.ts';
import { keyed } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { fixedValue } from '#lib/limits.ts';
import { checkLimits, createAppRuns, putAppSuite } from '#resources/code/checks/index.ts';
import { dependencyBotAppOf } from '#resources/repositories/apps/index.ts';
import { loadNamedRepositories, lockRepository, type RepositoryWithOwner } from '#resources/repositories/repositories/index.ts';
import { botLimits, configPaths, parseConfig } from '#resources/security/dependency-bot/index.ts';
import { type ConfigRow, listSchedules, putConfig, removeConfig, replaceSchedules } from './config-store.ts';
import { digestOf, headOf } from './start.ts';

type FoundConfig = { readonly path: string; readonly oid: Oid; readonly commit: Oid };

/** The configuration file of a default branch. It reads Git alone. */
export async function findConfig(
  git: JobContext['services']['git'],
  repository: RepositoryWithOwner,
): Promise<FoundConfig | undefined> {
  const commit = await headOf({ git }, repository, repository.default_branch);
  if (commit === undefined) return undefined;
  await using reader = await openObjects(repoOf(git, repository.id));
  for (const path of configPaths) {
    const folder = await reader.findFolder(commit, path.slice(0, path.indexOf('/')));
    const entries = folder ? await reader.getTree(folder.oid) : [];
    const entry = entries.find(({ name, type }) => type === 'blob' && name === path.slice(path.indexOf('/') + 1));
    if (entry) return { path, oid: entry.oid, commit };
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
    const { oid, path, commit = '' } = found ?? {};
    const row = oid && path ? { repository_id: id, path, oid, ...(await contentOf(services.git, repository, oid)) } : undefined;
    await change(async ({ tx }) => {
      await lockRepository(tx, id);
      if (!row) return void (await removeConfig(tx, id));
      const before = keyed(await listSchedules(tx, id), ({ digest }) => digest);
      await putConfig(tx, row);
      const rows = (row.config?.updates ?? []).map((entry, at) => {
        const digest = digestOf(entry);
        const { next_at, waiting } = before.get(digest) ?? { next_at: now, waiting: [] };
        return { entry: at, digest, next_at, waiting };
      });
      await replaceSchedules(tx, id, rows);
      await checkConfig(tx, { repository, commit, row, now });
    });
  },
});

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

type Checking = {
  readonly repository: RepositoryWithOwner;
  readonly commit: Oid;
  readonly row: ConfigRow;
  readonly now: Date;
};

/** Shows the problems of a configuration file as a check of its commit. */
async function checkConfig(tx: Tx, { repository, commit, row, now }: Checking): Promise<void> {
  const action = { repo: repository, by: {}, now };
  const app = await dependencyBotAppOf(tx, now);
  const suite = await putAppSuite(tx, action, {
    app: app.id,
    key: 'configuration',
    commit,
    branch: repository.default_branch,
    by: undefined,
  });
  const { path, problems } = row;
  const count = problems.length;
  await createAppRuns(tx, action, suite.id, [
    {
      name: path,
      detailsUrl: null,
      status: 'completed',
      conclusion: count === 0 ? 'success' : 'failure',
      title: count === 0 ? 'The configuration is valid' : `The configuration has ${count} problem${count === 1 ? '' : 's'}`,
      summary: row.config === null ? 'It has no effect.' : count === 0 ? '' : 'Entries with problems have no effect.',
      annotations: problems.slice(0, fixedValue(checkLimits.annotations)).map(({ message, line }) => ({
        path,
        start_line: line,
        end_line: line,
        annotation_level: 'failure' as const,
        message,
      })),
    },
  ]);
}
