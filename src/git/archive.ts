import type { Readable } from 'node:stream';
import { GitError } from './errors.ts';
import { checkedOid, type Oid } from './oid.ts';
import { firstBytes } from './output-stream.ts';
import { checkPath } from './paths.ts';
import type { Repo } from './repo.ts';
import { startTransfer } from './run.ts';

export type ArchiveFormat = 'tar.gz' | 'zip';

/**
 * Streams a commit's files as an archive, with their names below `prefix/`. Symbolic links are stored as links. Destroying the
 * stream ends git.
 */
export async function openArchive(
  repo: Repo,
  given: { commit: Oid; format: ArchiveFormat; prefix: string; signal?: AbortSignal },
): Promise<Readable> {
  checkPath(given.prefix);
  const args = ['archive', `--format=${given.format}`, `--prefix=${given.prefix}/`, checkedOid(given.commit)];
  const git = await startTransfer(repo, args, { signal: given.signal });
  git.stdin.end();
  return firstBytes(git, () => new GitError('not-found', 'No such commit', git.stderr().trim()));
}

/** Streams one file's content, whatever its size. */
export async function openBlob(repo: Repo, oid: Oid): Promise<Readable> {
  const git = await startTransfer(repo, ['cat-file', 'blob', checkedOid(oid)]);
  git.stdin.end();
  return firstBytes(git, () => new GitError('not-found', 'No such file content', git.stderr().trim()));
}
