// Changing workflow files takes a right of its own, since workflows run with the secrets of their repository.
import { type WorkflowFileAccess, workflowFileMessage } from '#access/workflow-files.ts';
import { type ObjectInfo, type ObjectReader, openObjects } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import { heads } from '#git/refs/ref-name.ts';
import { listRefNames } from '#git/refs/refs.ts';
import type { GitRepository } from '#git/repo.ts';
import { chunks, unique } from '#lib/collections.ts';
import type { RuledMove } from '#resources/code/ref-rules/index.ts';
import { workflowFolders } from '#workflow-files/file.ts';

/** Thrown where a ref would get a workflow file that the credential may not write. */
export class WorkflowFilesRefused extends Error {}

/**
 * The moves that bring workflow files which this credential may not write, each with the message for its user. The folders are
 * compared by their ids, so that a move that changes nothing in them costs one round trip to the reader of objects.
 */
export async function refuseWorkflowFiles(
  gitRepository: GitRepository,
  access: WorkflowFileAccess,
  moves: readonly RuledMove[],
): Promise<Map<string, string>> {
  const refused = new Map<string, string>();
  if (access.allowed) return refused;
  const written = moves.filter(({ after }) => after !== null);
  if (written.length === 0) return refused;
  await using reader = await openObjects(gitRepository, { isBulk: true });
  const folders = await readFolders(
    reader,
    unique(written.flatMap(({ before, after }) => [before, after].filter((oid) => oid !== null))),
  );
  const known = new Map<Oid, string | undefined>();
  for (const { ref, before, after } of written) {
    if (after === null) continue;
    const own = folders.get(after) ?? [];
    let path: string | undefined;
    if (before !== null) path = await findChangedPath(reader, folders.get(before) ?? [], own);
    else {
      if (!known.has(after)) known.set(after, await findNewPath(gitRepository, reader, own));
      path = known.get(after);
    }
    if (path !== undefined) refused.set(ref, workflowFileMessage(access, path));
  }
  return refused;
}

/** What is at the paths of the workflow folders, in their order. It need not be a folder. */
type Folders = readonly (ObjectInfo | undefined)[];

/** Commits whose folders are looked up in one round trip. */
const commitsPerBatch = 1_000;

async function readFolders(reader: ObjectReader, commits: readonly Oid[]): Promise<Map<Oid, Folders>> {
  const found = new Map<Oid, Folders>();
  for (const some of chunks(commits, commitsPerBatch)) {
    const folders = await Promise.all(
      some.map((commit) => Promise.all(workflowFolders.map((path) => reader.findInfo(commit, { path })))),
    );
    for (const [at, commit] of some.entries()) found.set(commit, folders[at] ?? []);
  }
  return found;
}

/** The first path in the workflow folders at which two commits differ. */
async function findChangedPath(reader: ObjectReader, before: Folders, after: Folders): Promise<string | undefined> {
  for (const [at, folder] of workflowFolders.entries()) {
    if (before[at]?.oid === after[at]?.oid) continue;
    const [old, present] = await Promise.all([readEntries(reader, before[at]), readEntries(reader, after[at])]);
    return pathOf(folder, firstWithout(present, old) ?? firstWithout(old, present));
  }
  return undefined;
}

/** The first path in the workflow folders of a commit at which no branch has the same file. */
async function findNewPath(gitRepository: GitRepository, reader: ObjectReader, own: Folders): Promise<string | undefined> {
  if (own.every((folder) => folder === undefined)) return undefined;
  // The default branch, which usually has the same folders, is looked at before all others.
  const first = await Promise.all(workflowFolders.map((path) => reader.findInfo('HEAD', { path })));
  if (own.every((folder, at) => folder === undefined || folder.oid === first[at]?.oid)) return undefined;
  const tips = unique((await listRefNames(gitRepository, heads)).map(({ oid }) => oid));
  const ofTips = [...(await readFolders(reader, tips)).values()];
  for (const [at, folder] of workflowFolders.entries()) {
    const wanted = own[at];
    const known = new Map(ofTips.flatMap((folders) => (folders[at] ? [[folders[at].oid, folders[at]] as const] : [])));
    if (!wanted || known.has(wanted.oid)) continue;
    const missing = await readEntries(reader, wanted);
    if (missing.size === 0) return folder;
    for (const other of known.values()) {
      for (const key of (await readEntries(reader, other)).keys()) missing.delete(key);
      if (missing.size === 0) break;
    }
    const [name] = missing.values();
    if (name !== undefined) return pathOf(folder, name);
  }
  return undefined;
}

/** The names of a folder's entries, each by all that makes an entry: its name, mode and object. */
type Entries = Map<string, string>;

/** A folder below is one entry: workflows aren't read from it. */
async function readEntries(reader: ObjectReader, folder: ObjectInfo | undefined): Promise<Entries> {
  const entries = folder?.type === 'tree' ? await reader.getTree(folder.oid) : [];
  return new Map(entries.map(({ bytes, mode, oid, name }) => [`${mode} ${oid} ${bytes.toString('latin1')}`, name]));
}

const firstWithout = (entries: Entries, others: Entries): string | undefined =>
  [...entries].find(([key]) => !others.has(key))?.[1];

const pathOf = (folder: string, name: string | undefined): string => (name === undefined ? folder : `${folder}/${name}`);
