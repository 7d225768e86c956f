import type { Readable } from 'node:stream';
import { GitError } from '../errors.ts';
import { plainAttributes } from '../maintenance/attributes.ts';
import { exceeded } from '../process/exceeded.ts';
import { firstBytes } from '../process/output-stream.ts';
import { startTransfer } from '../process/run.ts';
import type { Repo } from '../repo.ts';
import { openObjects } from './objects.ts';
import { checkedOid, type Oid } from './oid.ts';
import { checkPath } from './paths.ts';
import { readTree } from './tree-list.ts';

export type ArchiveFormat = 'tar.gz' | 'zip';

/**
 * Streams a commit's files as an archive, with their names below `prefix/`. Symbolic links are stored as links. Destroying the
 * stream ends git. Throws `too-large` where there are more files, or larger ones, than the limits of archives allow.
 */
export async function openArchive(
  repo: Repo,
  given: { commit: Oid; format: ArchiveFormat; prefix: string; signal?: AbortSignal },
): Promise<Readable> {
  checkPath(given.prefix);
  await checkExtent(repo, checkedOid(given.commit));
  const args = ['archive', `--format=${given.format}`, `--prefix=${given.prefix}/`, given.commit];
  const git = await startTransfer(repo, args, { signal: given.signal, env: await plainAttributes(repo) });
  git.stdin.end();
  return firstBytes(git, () => new GitError('not-found', 'No such commit', git.stderr().trim()));
}

/** A few nested folders can hold more files than any archive could. */
async function checkExtent(repo: Repo, commit: Oid): Promise<void> {
  const { limits } = repo.store;
  await using reader = await openObjects(repo);
  const tree = await reader.findInfo(commit, { peel: 'tree' });
  if (!tree) throw new GitError('not-found', 'No such commit');
  let entries = 0;
  let bytes = 0;
  for await (const some of readTree(repo, tree.oid, { recursive: true, folders: true })) {
    entries += some.length;
    for (const { size = 0 } of some) bytes += size;
    if (entries > limits.archiveFiles)
      throw exceeded(limits, 'archiveFiles', { message: 'There are too many files for an archive' });
    if (bytes > limits.archiveSize) throw exceeded(limits, 'archiveSize', { message: 'The files are too large for an archive' });
  }
}

/** Streams one file's content, whatever its size. */
export async function openBlob(repo: Repo, oid: Oid): Promise<Readable> {
  const git = await startTransfer(repo, ['cat-file', 'blob', checkedOid(oid)]);
  git.stdin.end();
  return firstBytes(git, () => new GitError('not-found', 'No such file content', git.stderr().trim()));
}
