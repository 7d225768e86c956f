import type { RepositoryRow } from '#access/viewer.ts';
import type { Settings } from '#server/hearth.ts';
import { heard, listening } from '#test/resources/platform/webhooks/listening.ts';
import { commitFiles } from '#test/support/commit.ts';
import { websites } from '#test/support/websites.ts';
import { fresh } from '#test/support/world.ts';

/** Repositories of an organization that is listened to, and the server of their websites. */
export async function siteSetting(settings: Partial<Settings> = {}) {
  const served = await websites(settings);
  const stage = await listening();
  const { here, org, owner, client, target } = stage;
  const commit = (repo: RepositoryRow, files: Record<string, string>) => commitFiles(here, repo, files);
  /** A repository with files, and where its website is. */
  const repository = async (
    files: Record<string, string> = { 'index.html': 'one' },
    { name = fresh('site'), visibility = 'public' as RepositoryRow['visibility'] } = {},
  ) => {
    const repo = await here.repo(org, { name, by: owner, visibility });
    await commit(repo, files);
    await here.settle();
    target.requests.length = 0;
    const at = `/repos/${org.login}/${repo.name}`;
    return { repo, at, web: `/${org.login}/${repo.name}/` };
  };
  /** The same with its website, which is built. */
  const published = async (...wanted: Parameters<typeof repository>) => {
    const made = await repository(...wanted);
    await client.post(`${made.at}/pages`, { source: { branch: made.repo.default_branch } });
    await here.settle();
    target.requests.length = 0;
    return made;
  };
  return { ...stage, ...served, commit, repository, published, heard: () => heard(here, target) };
}
