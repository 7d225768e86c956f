// The diffs of single files, in which comments lie.
import { diffTrees, type FileDiff } from '#git/history/diff.ts';
import type { Oid } from '#git/objects/oid.ts';
import type { GitRepository } from '#git/repo.ts';
import { chunks, keyed, unique } from '#lib/collections.ts';

/** Two commits that are compared. */
export type Ends = { readonly from: Oid; readonly to: Oid };

/** So many patches, each as large as one may be, are read at once. */
const filesInParallel = 8;

/**
 * The diffs of files by their paths, with the patches. A file that doesn't differ is missing; one whose patch is too large has
 * none. Renamed files are found by their new paths.
 */
export async function loadFileDiffs(
  gitRepository: GitRepository,
  ends: Ends,
  paths: readonly string[],
): Promise<Map<string, FileDiff>> {
  const all = keyed((await diffTrees(gitRepository, { ...ends, patchSize: 0 })).files, ({ path }) => path);
  const wanted = unique(paths).flatMap((path) => all.get(path) ?? []);
  const found = new Map<string, FileDiff>();
  for (const some of chunks(wanted, filesInParallel))
    for (const file of await readPatches(gitRepository, ends, some)) found.set(file.path, file);
  return found;
}

async function readPatches(gitRepository: GitRepository, ends: Ends, files: readonly FileDiff[]): Promise<FileDiff[]> {
  const paths = files.flatMap(({ path, previousPath }) => (previousPath === undefined ? [path] : [previousPath, path]));
  const diff = await diffTrees(gitRepository, { ...ends, paths });
  const patched = keyed(diff.files, ({ path }) => path);
  const isComplete = !diff.truncated || files.length === 1;
  if (isComplete) return files.map((file) => ({ ...file, ...patched.get(file.path) }));
  // One of them is so large that there was no room for the others.
  const alone: FileDiff[] = [];
  for (const file of files) alone.push(...(await readPatches(gitRepository, ends, [file])));
  return alone;
}

/** So many paths fit into the arguments of one process. */
const pathsPerProcess = 50;

/**
 * How files differ between two commits, by their paths and without context or renames. A file that is the same is missing.
 */
export async function loadChanges(
  gitRepository: GitRepository,
  ends: Ends,
  paths: readonly string[],
): Promise<Map<string, FileDiff>> {
  const found = new Map<string, FileDiff>();
  if (ends.from === ends.to) return found;
  for (const some of chunks(unique(paths), pathsPerProcess)) {
    const { files } = await diffTrees(gitRepository, { ...ends, paths: some, context: 0, renames: false });
    for (const file of files) found.set(file.path, file);
  }
  return found;
}
