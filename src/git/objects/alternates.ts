import { join } from 'node:path';
import { GitError } from '../errors.ts';
import { firstBytes } from '../process/output-stream.ts';
import { run, runText, startTransfer } from '../process/run.ts';
import type { Repo } from '../repo.ts';
import { checkedOid, type Oid } from './oid.ts';

/** A repository that reads another one's objects beside its own (a fork's), under its own refs. Nothing may be written through it. */
export const withAlternate = (repo: Repo, other: Repo): Repo => ({
  ...repo,
  quarantine: { objects: join(other.path, 'objects'), alternates: join(repo.path, 'objects') },
});

/** Copies a commit with its history from another repository of this server, and syncs them to disk. No ref moves. */
export async function takeCommit(repo: Repo, source: Repo, oid: Oid): Promise<void> {
  const known = await runText(repo, ['for-each-ref', '--format=^%(objectname)', 'refs/heads', 'refs/tags']);
  const packing = await startTransfer(withAlternate(repo, source), [
    'pack-objects',
    '--revs',
    '--thin',
    '--delta-base-offset',
    '--stdout',
    '-q',
  ]);
  packing.stdin.end(`${checkedOid(oid)}\n${known}`);
  const input = await firstBytes(
    packing,
    () => new GitError('failed', 'The commit could not be packed', packing.stderr().trim()),
  );
  await run(repo, ['index-pack', '--stdin', '--fix-thin', '--strict'], { input, kind: 'transfer' });
}
