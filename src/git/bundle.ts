import type { GitStore, Repo } from './repo.ts';
import { run, runText } from './run.ts';
import { buildRepository, initialise, removeRepository, repoOf, repositoryExists } from './store.ts';

/** Writes every ref of a repository and what they need into one file; false, and no file, where there is nothing. */
export async function writeBundle(repo: Repo, file: string): Promise<boolean> {
  if (!(await repositoryExists(repo))) return false;
  if ((await runText(repo, ['for-each-ref', '--count=1'])) === '') return false;
  const timeout = repo.store.limits.transferTime;
  await run(repo, ['bundle', 'create', '--quiet', file, '--all'], { timeout });
  return true;
}

/** Makes a repository of a bundle, every object checked; an empty one without a file. One that is there gives way. */
export async function readBundle(
  store: GitStore,
  id: number,
  { file, defaultBranch }: { file: string | undefined; defaultBranch: string },
): Promise<Repo> {
  const repo = repoOf(store, id);
  if (await repositoryExists(repo)) await removeRepository(repo);
  return buildRepository(repo, async (draft) => {
    await initialise(draft, defaultBranch);
    if (file === undefined) return;
    const timeout = store.limits.transferTime;
    const args = ['fetch', '--quiet', '--no-write-fetch-head', '--no-auto-maintenance', '--', file, '+refs/*:refs/*'];
    await run(draft, args, { timeout, env: { GIT_ALLOW_PROTOCOL: 'file' } });
  });
}
