import type { Identity } from '../objects/identity.ts';
import { openObjects } from '../objects/objects.ts';
import { checkedOid, type Oid } from '../objects/oid.ts';
import { writeCommit } from '../objects/write-objects.ts';
import { runText } from '../process/run.ts';
import type { GitRepository } from '../repo.ts';
import { mergeCommits } from './merge.ts';

/** The rebased head, or the reason why there is none: a conflict, too many commits, or other files than those of the merge. */
type Rebase = { rebased: true; head: Oid } | { rebased: false; reason: 'conflict' | 'too-many' | 'other-files' };

/** The public API's limit. */
const maxCommits = 100;

/**
 * Copies the commits that `head` has and `onto` lacks on top of `onto`, without merge commits and commits that change nothing
 * there. The authors stay, and `committer` commits them. It moves no ref.
 * @param given.tree the files of a merge of `head` into `onto`. The copies can bring others, which nobody has seen: what a merge
 * commit took back, or changes to what both have got
 */
export async function rebaseCommits(
  repo: GitRepository,
  given: { onto: Oid; head: Oid; tree: Oid; committer: Identity },
): Promise<Rebase> {
  const { onto, head, tree, committer } = given;
  const range = ['--reverse', '--topo-order', '--no-merges', `--max-count=${maxCommits + 1}`];
  const text = await runText(repo, ['rev-list', ...range, checkedOid(head), `^${checkedOid(onto)}`, '--']);
  const oids = text.split('\n').filter((line) => line !== '');
  if (oids.length > maxCommits) return { rebased: false, reason: 'too-many' };
  await using reader = await openObjects(repo);
  let tip = await reader.getCommit(onto);
  for (const { parents, author, message, oid } of await reader.getCommits(oids)) {
    const [parent] = parents;
    // A commit with the tip's files on the parent of the copied commit, so that this parent is the merge base.
    const files = { tree: tip.tree, parents: parent === undefined ? [] : [parent], author: committer, committer, message: '' };
    const ours = parent === tip.oid ? tip.oid : await writeCommit(repo, files);
    const merged = await mergeCommits(repo, { ours, theirs: oid });
    if (!merged.merged) return { rebased: false, reason: 'conflict' };
    if (merged.tree === tip.tree) continue;
    const copy = await writeCommit(repo, { tree: merged.tree, parents: [tip.oid], author, committer, message });
    tip = await reader.getCommit(copy);
  }
  return tip.tree === tree ? { rebased: true, head: tip.oid } : { rebased: false, reason: 'other-files' };
}

/** Whether there are merge commits among those that `head` has and `onto` lacks. */
export async function hasMerges(repo: GitRepository, { onto, head }: { onto: Oid; head: Oid }): Promise<boolean> {
  const args = ['rev-list', '--merges', '--max-count=1', checkedOid(head), `^${checkedOid(onto)}`, '--'];
  return (await runText(repo, args)).trim() !== '';
}
