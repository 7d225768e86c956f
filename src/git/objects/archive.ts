import type { Readable } from 'node:stream';
import { GitError } from '../errors.ts';
import { archiveEnvironment } from '../maintenance/attributes.ts';
import { exceeded } from '../process/exceeded.ts';
import { firstBytes } from '../process/output-stream.ts';
import { readRecords } from '../process/records.ts';
import { startTransfer } from '../process/run.ts';
import type { GitRepository } from '../repo.ts';
import { openObjects } from './objects.ts';
import { checkedOid, type Oid } from './oid.ts';
import { checkPath } from './paths.ts';

export type ArchiveFormat = 'tar.gz' | 'zip';

/**
 * Streams a commit's files as an archive, with their paths below `prefix/`. Symbolic links are stored as links. Destroying the
 * stream ends git.
 * @throws GitError `too-large` if the number or the size of the files exceeds its limit, `not-found` for an unknown commit
 */
export async function openArchive(
  repo: GitRepository,
  given: { commit: Oid; format: ArchiveFormat; prefix: string; signal?: AbortSignal },
): Promise<Readable> {
  checkPath(given.prefix);
  await checkSize(repo, checkedOid(given.commit));
  const args = ['archive', `--format=${given.format}`, `--prefix=${given.prefix}/`, given.commit];
  const git = await startTransfer(repo, args, { signal: given.signal, env: await archiveEnvironment(repo) });
  git.stdin.end();
  return firstBytes(git, () => new GitError('not-found', 'No such commit', git.stderr().trim()));
}

/** Checks the limits before git starts, since a few nested folders can contain billions of files. */
async function checkSize(repo: GitRepository, commit: Oid): Promise<void> {
  const { limits } = repo.store;
  await using reader = await openObjects(repo);
  const tree = await reader.findInfo(commit, { peel: 'tree' });
  if (!tree) throw new GitError('not-found', 'No such commit');
  let entries = 0;
  let bytes = 0;
  // Only the sizes, since deeply nested folders can have gigabytes of paths.
  const command = ['ls-tree', '-r', '-t', '-z', '--format=%(objectsize)', tree.oid];
  for await (const sizes of readRecords(repo, command, { separator: 0 })) {
    entries += sizes.length;
    for (const size of sizes) bytes += Number(size.toString('latin1')) || 0; // `-` for folders and submodules
    if (entries > limits.archiveFiles)
      throw exceeded(limits, 'archiveFiles', { message: 'There are too many files for an archive' });
    if (bytes > limits.archiveSize) throw exceeded(limits, 'archiveSize', { message: 'The files are too large for an archive' });
  }
}

/** Streams a blob of any size. */
export async function openBlob(repo: GitRepository, oid: Oid): Promise<Readable> {
  const git = await startTransfer(repo, ['cat-file', 'blob', checkedOid(oid)]);
  git.stdin.end();
  return firstBytes(git, () => new GitError('not-found', 'No such file content', git.stderr().trim()));
}
