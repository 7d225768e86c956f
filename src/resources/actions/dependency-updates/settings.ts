// What the configuration file of a repository says of pull requests.
import type { Db } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import { directoriesOf, type UpdateEntry, type UpdateRequest } from '#resources/security/dependency-bot/index.ts';
import { loadConfigs } from './config-store.ts';
import type { PullOptions } from './store.ts';

type Settings = { readonly options: PullOptions; readonly securityGroups: UpdateEntry['securityGroups'] };

/** The settings of security updates of an ecosystem in a directory. Entries for other branches than the default one don't count. */
export async function settingsFor(
  db: Db,
  repository: Id<'repositories'>,
  { ecosystem, directory }: Pick<UpdateRequest, 'ecosystem' | 'directory'>,
): Promise<Settings> {
  const config = (await loadConfigs(db, [repository])).get(repository)?.config;
  const entry = config?.updates.find(
    (one) =>
      one.ecosystem === ecosystem &&
      one.targetBranch === undefined &&
      // The directory is one that has manifests, which patterns can match.
      directoriesOf(one, manifestsIn(ecosystem, directory)).includes(directory),
  );
  return entry ? { options: optionsOf(entry), securityGroups: entry.securityGroups } : { options: {}, securityGroups: [] };
}

const manifests = { npm: 'package.json', pip: 'requirements.txt', gomod: 'go.mod' } as const;

const manifestsIn = (ecosystem: UpdateRequest['ecosystem'], directory: string): string[] => [
  `${directory === '/' ? '' : `${directory.slice(1)}/`}${manifests[ecosystem]}`,
];

/** What pull requests for an entry look like. */
export const optionsOf = ({ labels, assignees, milestone, commitMessage, separator, rebases }: UpdateEntry): PullOptions => ({
  ...(labels === undefined ? {} : { labels }),
  assignees,
  ...(milestone === undefined ? {} : { milestone }),
  ...(commitMessage.prefix === undefined ? {} : { commitPrefix: commitMessage.prefix }),
  ...(commitMessage.prefixDevelopment === undefined ? {} : { commitPrefixDevelopment: commitMessage.prefixDevelopment }),
  hasScope: commitMessage.includesScope,
  branchSeparator: separator,
  rebases,
});
