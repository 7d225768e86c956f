import { checkedOid, type Oid, zeroOid } from '../objects/oid.ts';
import { readRecords } from '../process/records.ts';
import type { GitRepository } from '../repo.ts';

/** A file that a commit changed. `blob` is its new content; undefined if the commit removed it. */
export type CommitFile = { readonly commit: Oid; readonly path: string; readonly blob: Oid | undefined };

/** The head of a raw diff record: a colon, the modes and names of each parent and of the commit, and the status. */
const head = /^:+(?:\d+ )+((?:[0-9a-f]{40} )+)[A-Z]+\d*$/;

/**
 * The files that each of these commits changed, in batches as git finds them. For a merge, these are the files that differ from
 * all parents: the merge's own changes. Folders of other repositories (submodules) are included, since they have a path.
 */
export async function* readCommitFiles(repo: GitRepository, commits: readonly Oid[]): AsyncGenerator<CommitFile[]> {
  if (commits.length === 0) return;
  const flags = ['--stdin', '-r', '-z', '-c', '--root', '--no-renames', '--raw', '--full-index'];
  const input = commits.map((oid) => `${checkedOid(oid)}\n`).join('');
  let commit: Oid | undefined;
  let blob: Oid | undefined;
  let isPath = false;
  for await (const records of readRecords(repo, ['diff-tree', ...flags], { separator: 0, input, kind: 'transfer' })) {
    const files: CommitFile[] = [];
    for (const record of records) {
      const text = record.toString('utf8');
      if (isPath && commit !== undefined) files.push({ commit, path: text, blob });
      else if (!text.startsWith(':')) commit = text.trim();
      else blob = lastOf(text);
      isPath = !isPath && text.startsWith(':');
    }
    yield files;
  }
}

function lastOf(text: string): Oid | undefined {
  const oid = head.exec(text)?.[1]?.trim().split(' ').at(-1);
  return oid === zeroOid ? undefined : oid;
}
