import { GitError } from '../errors.ts';
import type { Identity } from '../objects/identity.ts';
import { checkedOid, type Oid } from '../objects/oid.ts';
import { writeCommit } from '../objects/write-objects.ts';
import { run, runText } from '../process/run.ts';
import type { GitRepository } from '../repo.ts';

/** The merged tree, or the paths with conflicts. */
type Merge = { merged: true; tree: Oid } | { merged: false; paths: string[] };

/**
 * Merges the trees of two commits. It writes no commit and moves no ref. Commits of unrelated histories conflict, with an empty
 * list of paths.
 */
export async function mergeCommits(repo: GitRepository, given: { ours: Oid; theirs: Oid }): Promise<Merge> {
  const args = [
    'merge-tree',
    '--write-tree',
    '-z',
    '--name-only',
    '--no-messages',
    checkedOid(given.ours),
    checkedOid(given.theirs),
  ];
  const { code, stdout, stderr } = await run(repo, args, { codes: [0, 1, 128] });
  const [tree = '', ...paths] = stdout.toString('utf8').split('\0');
  if (code === 0) return { merged: true, tree };
  if (code === 1) return { merged: false, paths: [...new Set(paths)].filter((path) => path !== '') };
  if (/unrelated histories/.test(stderr)) return { merged: false, paths: [] };
  throw new GitError('failed', 'The commits could not be merged', stderr.trim());
}

/** Merges two commits and writes the merge commit, whose first parent is `ours`; undefined if they conflict. It moves no ref. */
export async function writeMerge(
  repo: GitRepository,
  { ours, theirs, by, message }: { ours: Oid; theirs: Oid; by: Identity; message: string },
): Promise<Oid | undefined> {
  const merged = await mergeCommits(repo, { ours, theirs });
  if (!merged.merged) return undefined;
  return writeCommit(repo, { tree: merged.tree, parents: [ours, theirs], author: by, committer: by, message });
}

/** The first commit in the history of `tip` that contains `head`: a merge, or `head` itself. */
export async function firstMergeOf(repo: GitRepository, { head, tip }: { head: Oid; tip: Oid }): Promise<Oid> {
  const range = ['--merges', '--ancestry-path', '--first-parent', '--reverse'];
  const text = await runText(repo, ['rev-list', ...range, `${checkedOid(head)}..${checkedOid(tip)}`, '--']);
  return text === '' ? head : text.slice(0, 40);
}
