import { checkObjects, openObjects } from '../objects/objects.ts';
import type { Oid } from '../objects/oid.ts';
import { oidOf } from '../objects/pack.ts';
import { commitBytes, type NewCommit, writeObjects } from '../objects/write-objects.ts';
import { planTree, type TreeChanges } from '../objects/write-tree.ts';
import type { Repo } from '../repo.ts';

/** A commit of changes to its base, which is its first parent's tree where it has one. */
export type ChangesCommit = Omit<NewCommit, 'tree'> & Pick<TreeChanges, 'changes'>;

/**
 * Writes files, trees and a commit in one git process: what a change of a file through the API needs. No ref moves. Errors
 * are those of `writeTree` and `writeCommit`.
 */
export async function commitChanges(repo: Repo, wanted: ChangesCommit): Promise<{ commit: Oid; tree: Oid }> {
  await using reader = await openObjects(repo);
  await checkObjects(
    reader,
    wanted.parents.map((oid) => ({ oid, type: 'commit' })),
  );
  const [base] = wanted.parents;
  const { oid: tree, objects } = await planTree(reader, { changes: wanted.changes, ...(base !== undefined && { base }) });
  const commit = { type: 'commit' as const, data: commitBytes({ ...wanted, tree }) };
  await writeObjects(repo, [...objects, commit]);
  return { commit: oidOf(commit), tree };
}
