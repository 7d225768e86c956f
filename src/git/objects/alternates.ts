import { join } from 'node:path';
import { GitError } from '../errors.ts';
import { firstBytes } from '../process/output-stream.ts';
import { run, runText, startTransfer } from '../process/run.ts';
import type { GitRepository } from '../repo.ts';
import { checkedOid, type Oid } from './oid.ts';

/** A repository that can also read the objects of another one (a fork). Nothing may write to it. */
export const withAlternate = (repo: GitRepository, other: GitRepository): GitRepository => ({
  ...repo,
  quarantine: { objects: join(other.path, 'objects'), alternates: join(repo.path, 'objects') },
});

/** Copies a commit with its history from another repository of this server, and syncs them to disk. It moves no ref. */
export async function copyCommit(repo: GitRepository, source: GitRepository, oid: Oid): Promise<void> {
  const excluded = await runText(repo, ['for-each-ref', '--format=^%(objectname)', 'refs/heads', 'refs/tags']);
  const packing = await startTransfer(withAlternate(repo, source), [
    'pack-objects',
    '--revs',
    '--thin',
    '--delta-base-offset',
    '--stdout',
    '-q',
  ]);
  packing.stdin.end(`${checkedOid(oid)}\n${excluded}`);
  const input = await firstBytes(
    packing,
    () => new GitError('failed', 'The commit could not be packed', packing.stderr().trim()),
  );
  await run(repo, ['index-pack', '--stdin', '--fix-thin', '--strict'], { input, kind: 'transfer' });
}
