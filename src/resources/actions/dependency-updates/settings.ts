// What the configuration file of a repository says of pull requests.
import type { RunRegistry } from '#resources/actions/workflow-runs/index.ts';
import { type BotConfig, directoriesOf, type UpdateEntry, type UpdateRequest } from '#resources/security/dependency-bot/index.ts';
import type { PullOptions } from './store.ts';

type Settings = { readonly options: PullOptions; readonly securityGroups: UpdateEntry['securityGroups'] };

/** The settings of security updates of an ecosystem in a directory. */
export function settingsFor(config: BotConfig | null, wanted: Pick<UpdateRequest, 'ecosystem' | 'directory'>): Settings {
  const entry = findEntry(config, wanted);
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
export function configuredRegistries(config: BotConfig | null, wanted: WantedEntry): RunRegistry[] {
  const names = new Set(findEntry(config, wanted)?.registries);
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
const findEntry = (config: BotConfig | null, { ecosystem, directory, targetBranch }: WantedEntry): UpdateEntry | undefined =>
  config?.updates.find((one) => one.ecosystem === ecosystem && one.targetBranch === targetBranch && isIn(one, directory));

/** Whether a directory with manifests is among some, which may be patterns. */
export const isIn = ({ ecosystem, directories }: Pick<UpdateEntry, 'ecosystem' | 'directories'>, directory: string): boolean =>
  directoriesOf({ ecosystem, directories }, manifestsIn(ecosystem, directory)).includes(directory);

const manifests = { npm: 'package.json', pip: 'requirements.txt', gomod: 'go.mod' } as const;

const manifestsIn = (ecosystem: UpdateRequest['ecosystem'], directory: string): string[] => [
  `${directory === '/' ? '' : `${directory.slice(1)}/`}${manifests[ecosystem]}`,
];

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
