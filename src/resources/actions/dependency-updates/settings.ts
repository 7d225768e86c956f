// What the configuration file of a repository says of pull requests.
import type { Db } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import { type Steps, stepsOfAllWork } from '#lib/pattern-steps.ts';
import type { RunRegistry } from '#resources/actions/workflow-runs/index.ts';
import { type BotConfig, directoriesOf, type UpdateEntry, type UpdateRequest } from '#resources/security/dependency-bot/index.ts';
import { loadConfigs } from './config-store.ts';
import type { PullOptions } from './store.ts';

type Settings = { readonly options: PullOptions; readonly securityGroups: UpdateEntry['securityGroups'] };

/** The settings of security updates of an ecosystem in a directory. */
export async function settingsFor(
  db: Db,
  repository: Id<'repositories'>,
  { ecosystem, directory }: Pick<UpdateRequest, 'ecosystem' | 'directory'>,
): Promise<Settings> {
  const { entry } = await findEntry(db, repository, { ecosystem, directory });
  return entry ? { options: optionsOf(entry), securityGroups: entry.securityGroups } : { options: {}, securityGroups: [] };
}

const registryTypes = {
  'npm-registry': 'npm_registry',
  'python-index': 'python_index',
  'goproxy-server': 'goproxy_server',
} as const;

/** The registries that the configuration file has for an ecosystem in a directory. */
export async function configuredRegistries(
  db: Db,
  repository: Id<'repositories'>,
  wanted: Pick<UpdateRequest, 'ecosystem' | 'directory'> & { readonly targetBranch?: string | undefined },
): Promise<RunRegistry[]> {
  const { config, entry } = await findEntry(db, repository, wanted);
  const names = new Set(entry?.registries);
  return (config?.registries ?? [])
    .filter(({ name }) => names.has(name))
    .map(({ name, type, url, replacesBase, username, password, token }) => ({
      name,
      registry_type: registryTypes[type],
      url,
      replaces_base: replacesBase,
      ...(username ? { username } : {}),
      ...(password ? { password } : {}),
      ...(token ? { token } : {}),
    }));
}

/** The entry of a configuration file. Without a branch, those for other branches than the default one don't count. */
async function findEntry(
  db: Db,
  repository: Id<'repositories'>,
  { ecosystem, directory, targetBranch }: Parameters<typeof configuredRegistries>[2],
): Promise<{ readonly config?: BotConfig; readonly entry?: UpdateEntry }> {
  const config = (await loadConfigs(db, [repository])).get(repository)?.config;
  if (!config) return {};
  const candidates = config.updates.filter((one) => one.ecosystem === ecosystem && one.targetBranch === targetBranch);
  const work = stepsOfAllWork();
  for (const entry of candidates) if (await isIn(entry, directory, work)) return { config, entry };
  return { config };
}

/** Whether a directory with manifests is among some, which may be patterns. `work`: the steps of all that are asked. */
export const isIn = async (entry: Pick<UpdateEntry, 'directories'>, directory: string, work: Steps): Promise<boolean> =>
  (await directoriesOf(entry, new Set([directory]), work)).includes(directory);

/** What pull requests for an entry look like. */
export const optionsOf = ({
  labels,
  assignees,
  milestone,
  commitMessage,
  separator,
  rebases,
  version,
  directories,
}: UpdateEntry): PullOptions => ({
  ...(labels === undefined ? {} : { labels }),
  assignees,
  ...(milestone === undefined ? {} : { milestone }),
  ...(commitMessage.prefix === undefined ? {} : { commitPrefix: commitMessage.prefix }),
  ...(commitMessage.prefixDevelopment === undefined ? {} : { commitPrefixDevelopment: commitMessage.prefixDevelopment }),
  hasScope: commitMessage.includesScope,
  branchSeparator: separator,
  rebases,
  limit: version.limit,
  directories,
});
