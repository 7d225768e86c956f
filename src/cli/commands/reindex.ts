import { scopeWithoutRequest } from '#endpoint/change-in.ts';
import { measureBranch } from '#resources/code/contents/index.ts';
import { indexRepositoryCode } from '#search/code/index-repository.ts';
import { indexRepositoryCommits } from '#search/commits/index-repository.ts';
import { reindexIssues } from '#search/issues/index-issues.ts';
import { indexRepositoryWords } from '#search/repositories/index-repository.ts';
import { indexStaleAccounts } from '#search/users/index-accounts.ts';
import { counted, installationCommand, onInstallation, print } from '../command.ts';
import type { CommandContext } from '../installation.ts';
import { repoNamed } from '../lookup.ts';
import { progressBar } from '../progress.ts';

export const reindexCommand = installationCommand(
  'reindex',
  'Make the search indexes again, for the named repositories or for all. Searches go on meanwhile.',
  'hearth reindex acme/engine',
)
  .argument('[owner/name...]', 'repositories; left out: all')
  .action((names, _options, command) =>
    onInstallation(command, async (installation) => {
      const { db, hearth, now } = installation;
      const scope = scopeWithoutRequest({ db, services: hearth.services, now });
      const repositories = await chooseRepositories(installation, names);
      const bar = await progressBar();
      let files = 0;
      let commits = 0;
      let issues = 0;
      let vectors = 0;
      try {
        if (names.length === 0) await indexStaleAccounts(db, { all: true });
        for (const [at, { id, name }] of repositories.entries()) {
          const options = { db, git: hearth.services.git, repositoryId: id, now, rebuild: true };
          const label = repositories.length === 1 ? name : `${at + 1} of ${repositories.length}`;
          const code = await indexRepositoryCode({
            ...options,
            onProgress: ({ done, total }) => bar.show(`${label} files`, done, total),
          });
          const history = await indexRepositoryCommits({
            ...options,
            onProgress: ({ done }) => bar.show(`${label} commits`, done, done),
          });
          await indexRepositoryWords({ db, git: hearth.services.git, id });
          await measureBranch(scope, id, { again: true });
          const reindexed = await reindexIssues({
            db,
            repositoryId: id,
            onProgress: ({ done, total }) => bar.show(`${label} issues`, done, total),
          });
          issues += reindexed.issues;
          const embedded = await hearth.services.embeddings?.embedMissing(db, {
            repositoryId: id,
            onProgress: ({ done, total }) => bar.show(`${label} meanings`, done, total),
          });
          vectors += embedded?.issues ?? 0;
          files += code?.files ?? 0;
          commits += history?.commits ?? 0;
        }
      } finally {
        bar.end();
      }
      print(command, { repositories: repositories.length, files, commits, issues, vectors }, [
        `Indexed ${counted(repositories.length, 'repository', 'repositories')}: ${counted(files, 'file')}, ` +
          `${counted(commits, 'commit')}, ${counted(issues, 'issue')}, ${vectors} of them embedded`,
      ]);
    }),
  );

async function chooseRepositories({ db }: CommandContext, names: readonly string[]) {
  if (names.length === 0) return db.selectFrom('repositories').select(['id', 'name']).orderBy('id').execute();
  const rows = [];
  for (const name of names) rows.push(await repoNamed(db, name));
  return rows;
}
