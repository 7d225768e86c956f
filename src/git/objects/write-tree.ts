import { sharedTurns } from '#lib/turns.ts';
import { GitError } from '../errors.ts';
import type { Repo } from '../repo.ts';
import { checkObjects, type ObjectReader, type ObjectType, openObjects } from './objects.ts';
import type { Oid } from './oid.ts';
import { type NewObject, oidOf } from './pack.ts';
import { type TreeMode, typeOfMode } from './parse-tree.ts';
import { checkPath } from './paths.ts';
import { writeObjects } from './write-objects.ts';

/** One change of a tree: a new entry from an object or from content, or (`oid: null`) none any more. */
export type TreeChange = { path: string; mode: TreeMode } & ({ oid: Oid | null } | { content: Buffer });

/** The changes of a tree, from a base (a tree or commit) or from nothing. */
export type TreeChanges = { base?: Oid; changes: readonly TreeChange[] };

type Leaf = { mode: TreeMode; oid: Oid | null };
// Keys are the stored names, one character for each byte, so that names that aren't UTF-8 stay as they are.
type Folder = Map<string, Leaf | Folder>;
type Entries = Map<string, { mode: TreeMode; oid: Oid }>;

/**
 * Writes the tree that `base` (a tree or commit; none: the empty tree) becomes by these changes, and gives its name. Folders
 * left empty disappear. Throws `invalid` for an impossible path or two changes of one path, and `not-found` for an object
 * that doesn't exist or a deleted path that isn't there.
 */
export async function writeTree(repo: Repo, wanted: TreeChanges): Promise<Oid> {
  await using reader = await openObjects(repo);
  const { oid, objects } = await planTree(reader, wanted);
  await writeObjects(repo, objects);
  return oid;
}

/** What `writeTree` would write, and the name of its tree; for callers that write more in the same process. */
export async function planTree(reader: ObjectReader, wanted: TreeChanges): Promise<{ oid: Oid; objects: NewObject[] }> {
  const objects: NewObject[] = [];
  const root: Folder = new Map();
  const named: { oid: Oid; type: ObjectType }[] = [];
  const share = sharedTurns();
  for (const change of wanted.changes) {
    await share();
    const leaf = leafOf(change, objects);
    place(root, change.path, leaf);
    const type = typeOfMode(change.mode);
    if ('oid' in change && leaf.oid !== null && type !== 'commit') named.push({ oid: leaf.oid, type });
  }
  await checkObjects(reader, named);
  const base = wanted.base === undefined ? undefined : (await reader.find(wanted.base, { peel: 'tree' }))?.oid;
  if (wanted.base !== undefined && base === undefined) throw new GitError('not-found', 'No such base tree');
  const tree = await apply(reader, base, root, objects);
  return { oid: tree ?? add(objects, { type: 'tree', data: Buffer.alloc(0) }), objects };
}

function leafOf(change: TreeChange, objects: NewObject[]): Leaf {
  if ('oid' in change) return { mode: change.mode, oid: change.oid };
  if (typeOfMode(change.mode) !== 'blob') throw new GitError('invalid', 'Only files and links have content');
  return { mode: change.mode, oid: add(objects, { type: 'blob', data: change.content }) };
}

function add(objects: NewObject[], object: NewObject): Oid {
  objects.push(object);
  return oidOf(object);
}

function place(root: Folder, path: string, leaf: Leaf): void {
  checkPath(path);
  const names = path.split('/').map((name) => Buffer.from(name).toString('latin1'));
  const last = names.pop() ?? '';
  let folder = root;
  for (const name of names) {
    const inner = folder.get(name) ?? new Map();
    if (!(inner instanceof Map)) throw new GitError('invalid', 'A path is both a file and a folder', path);
    folder.set(name, inner);
    folder = inner;
  }
  if (folder.has(last)) throw new GitError('invalid', 'A path is changed twice', path);
  folder.set(last, leaf);
}

/** The name of the changed tree, its object added to `objects`; undefined when nothing is left in it. */
async function apply(
  reader: ObjectReader,
  base: Oid | undefined,
  folder: Folder,
  objects: NewObject[],
): Promise<Oid | undefined> {
  const entries: Entries = new Map();
  for (const { bytes, mode, oid } of base === undefined ? [] : await reader.getTree(base)) {
    entries.set(bytes.toString('latin1'), { mode, oid });
  }
  for (const [name, change] of folder) {
    const before = entries.get(name);
    const after = change instanceof Map ? await applyInside(reader, before, change, objects) : change;
    if (after.oid !== null) entries.set(name, { mode: after.mode, oid: after.oid });
    else if (!entries.delete(name) && !(change instanceof Map))
      throw new GitError('not-found', 'A deleted path is not there', name);
  }
  return entries.size === 0 ? undefined : add(objects, { type: 'tree', data: treeBytes(entries) });
}

async function applyInside(reader: ObjectReader, before: Leaf | undefined, folder: Folder, objects: NewObject[]): Promise<Leaf> {
  const base = before?.mode === '040000' && before.oid !== null ? before.oid : undefined;
  return { mode: '040000', oid: (await apply(reader, base, folder, objects)) ?? null };
}

/** Git's order compares folders as if their names ended with a slash. */
function treeBytes(entries: Entries): Buffer {
  const key = (name: string, mode: TreeMode) => (mode === '040000' ? `${name}/` : name);
  const sorted = [...entries]
    .map(([name, entry]) => ({ name, ...entry, key: key(name, entry.mode) }))
    .sort((one, other) => (one.key < other.key ? -1 : 1));
  return Buffer.concat(
    sorted.flatMap(({ name, mode, oid }) => [
      Buffer.from(`${mode.replace(/^0/, '')} ${name}\0`, 'latin1'),
      Buffer.from(oid, 'hex'),
    ]),
  );
}
