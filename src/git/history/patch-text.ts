import type { Readable } from 'node:stream';
import { GitError } from '../errors.ts';
import { checkedOid, emptyTree, type Oid } from '../objects/oid.ts';
import { firstBytes } from '../process/output-stream.ts';
import { startTransfer } from '../process/run.ts';
import type { GitRepository } from '../repo.ts';

const common = ['--full-index', '--no-ext-diff', '--no-textconv', '--no-color'];

async function stream(repo: GitRepository, args: readonly string[]): Promise<Readable> {
  const git = await startTransfer(repo, args, { kind: 'command' });
  git.stdin.end();
  return firstBytes(git, () => new GitError('not-found', 'No such commit', git.stderr().trim()));
}

/** Streams the diff of two commits or trees in the format of `git diff`; `from: null` is the empty tree. */
export const openDiff = (repo: GitRepository, { from, to }: { from: Oid | null; to: Oid }): Promise<Readable> =>
  stream(repo, ['diff-tree', '-p', '-r', '-M', ...common, from === null ? emptyTree : checkedOid(from), checkedOid(to), '--']);

/**
 * Streams commits in the format of `git format-patch`: the commits reachable from `to` and not from `without`, or only `to`.
 * Merge commits are skipped, as in Git.
 */
export const openPatches = (repo: GitRepository, { to, without }: { to: Oid; without?: Oid }): Promise<Readable> => {
  const range = without === undefined ? ['-1', checkedOid(to)] : [`${checkedOid(without)}..${checkedOid(to)}`];
  return stream(repo, ['format-patch', '--stdout', '--root', '--no-signature', ...common, ...range, '--']);
};
