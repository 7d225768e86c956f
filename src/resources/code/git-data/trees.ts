import { isGitError } from '#git/errors.ts';
import { openObjects } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import { typeOfMode } from '#git/objects/parse-tree.ts';
import { pathProblem } from '#git/objects/paths.ts';
import { type TreeChange, writeTree } from '#git/objects/write-tree.ts';
import type { GitRepository } from '#git/repo.ts';
import { invalid, unprocessable } from '#lib/refusal.ts';
import { periodicYield } from '#lib/turns.ts';
import { emptyRepository, isEmpty } from '#resources/code/commits/index.ts';
import { utf8Of } from './decode-content.ts';
import type { NewTree } from './schemas.ts';

/** Writes the tree that a body describes. */
export async function createTree(gitRepository: GitRepository, { base_tree, tree }: NewTree): Promise<Oid> {
  if (await isEmpty(gitRepository)) throw emptyRepository();
  if (base_tree !== undefined) await checkBase(gitRepository, base_tree.toLowerCase());
  const changes: TreeChange[] = [];
  const yieldTurn = periodicYield();
  for (const [index, entry] of tree.entries()) {
    changes.push(await changeOf(entry, index));
    await yieldTurn();
  }
  try {
    return await writeTree(gitRepository, { changes, ...(base_tree === undefined ? {} : { base: base_tree.toLowerCase() }) });
  } catch (error) {
    // These errors come from the body: a missing object, a duplicate path, or the removal of a path that doesn't exist.
    if (isGitError(error, 'not-found') || isGitError(error, 'invalid'))
      throw invalid('Tree', 'tree', 'invalid', [error.message, error.detail].filter((text) => text !== '').join(': '));
    throw error;
  }
}

async function checkBase(gitRepository: GitRepository, oid: Oid): Promise<void> {
  await using reader = await openObjects(gitRepository);
  const found = await reader.findInfo(oid, { peel: 'tree' });
  if (found?.type !== 'tree') throw unprocessable('base_tree is not a valid tree oid');
}

async function changeOf({ path, mode, type, sha, content }: NewTree['tree'][number], index: number): Promise<TreeChange> {
  const wrong = (field: string, message: string) => invalid('Tree', `tree.${index}.${field}`, 'invalid', message);
  const problem = pathProblem(path);
  if (problem) throw wrong('path', `path ${problem}`);
  const kind = typeOfMode(mode);
  if (type !== undefined && type !== kind) throw wrong('type', `type must be ${kind} for the mode ${mode}`);
  if ((sha === undefined) === (content === undefined)) throw wrong('sha', 'Give either sha or content');
  if (content === undefined) return { path, mode, oid: sha?.toLowerCase() ?? null };
  if (kind !== 'blob') throw wrong('content', 'Only files and links have content');
  return { path, mode, content: await utf8Of(content) };
}
