import { fixedValue } from '#lib/limits.ts';
import { periodicYield } from '#lib/turns.ts';
import { GitError } from '../errors.ts';
import { gitLimits } from '../limits.ts';
import type { GitRepository } from '../repo.ts';
import { checkObjects, type ObjectReader, type ObjectType, openObjects } from './objects.ts';
import type { Oid } from './oid.ts';
import { type NewObject, oidOf } from './pack.ts';
import { type TreeMode, typeOfMode } from './parse-tree.ts';
import { checkPath, pathMeasure } from './paths.ts';
import { writeObjects } from './write-objects.ts';

/** One change of a tree: an entry from an object or from content. `oid: null` deletes the path. */
export type TreeChange = { path: string; mode: TreeMode } & ({ oid: Oid | null } | { content: Buffer });

/** Changes to a base (a tree or commit), or to the empty tree. */
export type TreeChanges = { base?: Oid; changes: readonly TreeChange[] };

const maxFolders = fixedValue(gitLimits.newFolders);

type Leaf = { mode: TreeMode; oid: Oid | null };
// Keys are the stored names as Latin-1, with one character for each byte, which preserves names that aren't UTF-8.
type Folder = Map<string, Leaf | Folder>;
/** The folders of changes, and how many they are: a path of 4 KiB makes two thousand. */
type Folders = { readonly root: Folder; count: number };
type Entries = Map<string, { mode: TreeMode; oid: Oid }>;

/**
 * Applies changes to `base` (a tree or commit; omitted: the empty tree), and writes the result. Empty folders are removed.
 * @returns the name of the new tree
 * @throws GitError `invalid` for a path that isn't allowed or is changed twice, `not-found` for a missing object or a deleted
 * path that doesn't exist, `too-large` for too many folders or too long paths
 */
export async function writeTree(repo: GitRepository, input: TreeChanges): Promise<Oid> {
  await using reader = await openObjects(repo);
  const { oid, objects } = await planTree(reader, input);
  await writeObjects(repo, objects);
  return oid;
}

/**
 * The objects that `writeTree` would write, and the name of the tree, for callers that write further objects together with them.
 */
export async function planTree(reader: ObjectReader, input: TreeChanges): Promise<{ oid: Oid; objects: NewObject[] }> {
  const objects: NewObject[] = [];
  const folders: Folders = { root: new Map(), count: 0 };
  const referenced: { oid: Oid; type: ObjectType }[] = [];
  const yieldIfNeeded = periodicYield();
  const measure = pathMeasure();
  for (const change of input.changes) {
    await yieldIfNeeded();
    measure(change.path);
    const leaf = leafOf(change, objects);
    addChange(folders, change.path, leaf);
    const type = typeOfMode(change.mode);
    if ('oid' in change && leaf.oid !== null && type !== 'commit') referenced.push({ oid: leaf.oid, type });
  }
  await checkObjects(reader, referenced);
  const base = input.base === undefined ? undefined : (await reader.find(input.base, { peel: 'tree' }))?.oid;
  if (input.base !== undefined && base === undefined) throw new GitError('not-found', 'No such base tree');
  const tree = await writeFolder({ reader, objects, yieldIfNeeded }, base, folders.root);
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

function addChange(folders: Folders, path: string, leaf: Leaf): void {
  checkPath(path);
  const names = path.split('/').map((name) => Buffer.from(name).toString('latin1'));
  const last = names.pop() ?? '';
  let folder = folders.root;
  for (const name of names) {
    const known = folder.get(name);
    if (!known && ++folders.count > maxFolders)
      throw new GitError('too-large', `The paths make more than ${maxFolders} folders (git.newFolders)`);
    const inner = known ?? new Map();
    if (!(inner instanceof Map)) throw new GitError('invalid', 'A path is both a file and a folder', path);
    folder.set(name, inner);
    folder = inner;
  }
  if (folder.has(last)) throw new GitError('invalid', 'A path is changed twice', path);
  folder.set(last, leaf);
}

type Writing = {
  readonly reader: ObjectReader;
  readonly objects: NewObject[];
  readonly yieldIfNeeded: ReturnType<typeof periodicYield>;
};

/** Adds the changed tree to `objects` and returns its name; undefined if it is empty. */
async function writeFolder(writing: Writing, base: Oid | undefined, folder: Folder): Promise<Oid | undefined> {
  const { reader, objects, yieldIfNeeded } = writing;
  await yieldIfNeeded();
  const entries: Entries = new Map();
  for (const { bytes, mode, oid } of base === undefined ? [] : await reader.getTree(base)) {
    entries.set(bytes.toString('latin1'), { mode, oid });
  }
  for (const [name, change] of folder) {
    const before = entries.get(name);
    const after = change instanceof Map ? await writeSubfolder(writing, before, change) : change;
    if (after.oid !== null) entries.set(name, { mode: after.mode, oid: after.oid });
    else if (!entries.delete(name) && !(change instanceof Map))
      throw new GitError('not-found', 'A deleted path is not there', name);
  }
  return entries.size === 0 ? undefined : add(objects, { type: 'tree', data: treeBytes(entries) });
}

async function writeSubfolder(writing: Writing, before: Leaf | undefined, folder: Folder): Promise<Leaf> {
  const base = before?.mode === '040000' && before.oid !== null ? before.oid : undefined;
  return { mode: '040000', oid: (await writeFolder(writing, base, folder)) ?? null };
}

/** The bytes of a tree object. Git sorts folders as if their names ended with a slash. */
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
