import { rm } from 'node:fs/promises';
import { run, runText } from '../process/run.ts';
import type { GitRepository, GitStore } from '../repo.ts';
import { buildRepository, initialise, removeRepository, repoOf, repositoryExists } from '../store.ts';

/**
 * Writes all refs of a repository with their objects into a bundle. Returns false, without a file, if the repository is empty or
 * was removed in the meantime.
 */
export async function writeBundle(repo: GitRepository, file: string): Promise<boolean> {
  try {
    if ((await runText(repo, ['for-each-ref', '--count=1'])) === '') return false;
    await run(repo, ['bundle', 'create', '--quiet', file, '--all'], { kind: 'transfer' });
    return true;
  } catch (error) {
    if (await repositoryExists(repo)) throw error;
    await rm(file, { force: true });
    return false;
  }
}

/**
 * Creates a repository from a bundle, or an empty one without `file`. It checks all objects, and replaces an existing repository.
 */
export async function readBundle(
  store: GitStore,
  id: number,
  { file, defaultBranch }: { file: string | undefined; defaultBranch: string },
): Promise<GitRepository> {
  const repo = repoOf(store, id);
  if (await repositoryExists(repo)) await removeRepository(repo);
  return buildRepository(repo, async (draft) => {
    await initialise(draft, defaultBranch);
    if (file === undefined) return;
    const args = ['fetch', '--quiet', '--no-write-fetch-head', '--no-auto-maintenance', '--', file, '+refs/*:refs/*'];
    await run(draft, args, { kind: 'transfer', env: { GIT_ALLOW_PROTOCOL: 'file' } });
  });
}
