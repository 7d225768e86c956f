import { pathResource } from '#endpoint/path-resource.ts';
import { nameWord, slugWord } from '#endpoint/path-words.ts';
import { type ObjectInfo, type ObjectReader, type ObjectType, openObjects } from '#git/objects/objects.ts';
import { isOid, type Oid } from '#git/objects/oid.ts';
import { findRevision } from '#git/refs/resolve.ts';
import type { GitRepository } from '#git/repo.ts';
import { repoOf } from '#git/store.ts';
import { emptyRepository, isEmpty } from '#resources/code/commits/index.ts';

/** A blob, by its id or by any revision that resolves to it. */
export const blob = pathResource({
  name: 'blob',
  words: { file_sha: nameWord },
  below: 'repo',
  async find({ at, services: { git } }, { file_sha }) {
    const found = await findRevision(repoOf(git, at.repo.id), file_sha);
    return found?.type === 'blob' ? found : undefined;
  },
});

/**
 * A tree, by its id or by a revision. A commit resolves to its tree. `namedBy` is the id of the commit or tree in the path, which
 * the reply shows, as in the public API.
 */
export const tree = pathResource({
  name: 'tree',
  words: { tree_sha: nameWord },
  below: 'repo',
  async find({ at, services: { git } }, { tree_sha }) {
    const gitRepository = repoOf(git, at.repo.id);
    const named = await findRevision(gitRepository, tree_sha);
    const found = named && (await treeOf(gitRepository, named));
    if (found) return found;
    if (await isEmpty(gitRepository)) throw emptyRepository();
    return undefined;
  },
});

type NamedTree = { readonly oid: Oid; readonly namedBy: Oid };

/** The tree of an object. A tag resolves to its target. */
async function treeOf(gitRepository: GitRepository, { oid, type }: ObjectInfo): Promise<NamedTree | undefined> {
  if (type === 'tree') return { oid, namedBy: oid };
  await using reader = await openObjects(gitRepository);
  const [tree, commit] = await Promise.all([
    reader.findInfo(oid, { peel: 'tree' }),
    type === 'tag' ? reader.findInfo(oid, { peel: 'commit' }) : { oid },
  ]);
  return tree?.type === 'tree' ? { oid: tree.oid, namedBy: commit?.oid ?? tree.oid } : undefined;
}

/** A commit object, by its full id. */
export const commit = pathResource({
  name: 'commit',
  words: { commit_sha: slugWord },
  below: 'repo',
  async find({ at, services: { git } }, { commit_sha }) {
    await using reader = await openObjects(repoOf(git, at.repo.id));
    const found = await findExact(reader, commit_sha, 'commit');
    return found && reader.getCommit(found.oid);
  },
});

/** An annotated tag, by the full id of its object. */
export const tag = pathResource({
  name: 'tag',
  words: { tag_sha: slugWord },
  below: 'repo',
  async find({ at, services: { git } }, { tag_sha }) {
    await using reader = await openObjects(repoOf(git, at.repo.id));
    const found = await findExact(reader, tag_sha, 'tag');
    return found && reader.getTag(found.oid);
  },
});

/** The object with this full id, if it is of this type. */
async function findExact(reader: ObjectReader, text: string, type: ObjectType): Promise<ObjectInfo | undefined> {
  const oid = text.toLowerCase();
  const found = isOid(oid) ? await reader.findInfo(oid) : undefined;
  return found?.type === type ? found : undefined;
}
