// What the configuration file of a repository says of pull requests.
import { type Steps, stepsOfAllWork } from '#lib/pattern-steps.ts';
import type { RunRegistry } from '#resources/actions/workflow-runs/index.ts';
import { type BotConfig, directoriesOf, type UpdateEntry, type UpdateRequest } from '#resources/security/dependency-bot/index.ts';
import type { PullOptions } from './store.ts';

type Settings = { readonly options: PullOptions; readonly securityGroups: UpdateEntry['securityGroups'] };

/** The settings of security updates of an ecosystem in a directory. */
export async function settingsFor(
  config: BotConfig | null,
  wanted: Pick<UpdateRequest, 'ecosystem' | 'directory'>,
): Promise<Settings> {
  const entry = await findEntry(config, wanted);
  return entry ? { options: optionsOf(entry), securityGroups: entry.securityGroups } : { options: {}, securityGroups: [] };
}

const registryTypes = {
  'npm-registry': 'npm_registry',
  'python-index': 'python_index',
  'goproxy-server': 'goproxy_server',
} as const;

const typesOfEcosystems = { npm: 'npm_registry', pip: 'python_index', gomod: 'goproxy_server' } as const;

/** The type of private registries that searches in an ecosystem use. */
export const registryTypeOf = (ecosystem: UpdateRequest['ecosystem']) => typesOfEcosystems[ecosystem];

/** The registries that the configuration file has for an ecosystem in a directory. */
export async function configuredRegistries(config: BotConfig | null, wanted: WantedEntry): Promise<RunRegistry[]> {
  const names = new Set((await findEntry(config, wanted))?.registries);
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

type WantedEntry = Pick<UpdateRequest, 'ecosystem' | 'directory'> & { readonly targetBranch?: string | undefined };

/** The entry of a configuration file. Without a branch, those for other branches than the default one don't count. */
async function findEntry(
  config: BotConfig | null,
  { ecosystem, directory, targetBranch }: WantedEntry,
): Promise<UpdateEntry | undefined> {
  const candidates = (config?.updates ?? []).filter((one) => one.ecosystem === ecosystem && one.targetBranch === targetBranch);
  const work = stepsOfAllWork();
  for (const entry of candidates) if (await isIn(entry, directory, work)) return entry;
  return undefined;
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
