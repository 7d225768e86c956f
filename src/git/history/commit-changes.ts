import { checkObjects, openObjects } from '../objects/objects.ts';
import type { Oid } from '../objects/oid.ts';
import { oidOf } from '../objects/pack.ts';
import { commitBytes, type NewCommit, writeObjects } from '../objects/write-objects.ts';
import { planTree, type TreeChanges } from '../objects/write-tree.ts';
import type { GitRepository } from '../repo.ts';

/** A commit that changes paths of its first parent's tree, or of the empty tree. */
type ChangesCommit = Omit<NewCommit, 'tree'> & Pick<TreeChanges, 'changes'>;

/**
 * Writes blobs, trees and a commit in one git process. It moves no ref.
 * @throws GitError like `writeTree` and `writeCommit`
 */
export async function commitChanges(repo: GitRepository, input: ChangesCommit): Promise<{ commit: Oid; tree: Oid }> {
  await using reader = await openObjects(repo);
  await checkObjects(
    reader,
    input.parents.map((oid) => ({ oid, type: 'commit' })),
  );
  const [base] = input.parents;
  const { oid: tree, objects } = await planTree(reader, { changes: input.changes, ...(base !== undefined && { base }) });
  const commit = { type: 'commit' as const, data: commitBytes({ ...input, tree }) };
  await writeObjects(repo, [...objects, commit]);
  return { commit: oidOf(commit), tree };
}
