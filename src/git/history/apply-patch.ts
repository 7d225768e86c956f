import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isGitError } from '../errors.ts';
import { checkedOid, type Oid } from '../objects/oid.ts';
import type { TreeMode } from '../objects/parse-tree.ts';
import { pathProblem } from '../objects/paths.ts';
import type { TreeChange } from '../objects/write-tree.ts';
import { run } from '../process/run.ts';
import type { GitRepository } from '../repo.ts';

type PatchedFiles = { readonly changes: readonly TreeChange[] } | { readonly problem: string };

type Entry = { readonly mode: TreeMode; readonly oid: Oid };

/**
 * Applies somebody's patch to the files of a commit, without a working tree. It writes blobs, and neither a tree nor a commit.
 * Git sees only the files for which `mayChange` is true, so that the patch can't refer to others. Files keep their modes.
 * @returns the changed files, or why the patch is refused
 */
export async function patchedFiles(
  repo: GitRepository,
  { commit, patch, mayChange }: { commit: Oid; patch: string; mayChange: (path: string) => boolean },
): Promise<PatchedFiles> {
  const paths = await pathsIn(repo, patch);
  if (!paths) return { problem: 'The patch is not valid' };
  const foreign = paths.find((path) => pathProblem(path) !== undefined || !mayChange(path));
  if (foreign !== undefined) return { problem: `The patch changes ${foreign}` };
  if (paths.length > maxPaths) return { problem: `The patch changes more than ${maxPaths} files` };
  const before = await entriesOf(repo, commit, paths);
  const other = [...before].find(([, { mode }]) => !isRegular(mode));
  if (other) return { problem: `${other[0]} is not a regular file` };
  const folders = new Set(paths.filter((path) => !before.has(path)).flatMap(foldersOf));
  const inTheWay = [...(await entriesOf(repo, commit, [...folders]))].find(([, { mode }]) => mode !== '040000');
  if (inTheWay) return { problem: `${inTheWay[0]} is not a folder` };
  const folder = await mkdtemp(join(tmpdir(), 'hearth-patch-'));
  try {
    const env = { GIT_INDEX_FILE: join(folder, 'index') };
    const input = [...before].map(([path, { mode, oid }]) => `${mode} ${oid} 0\t${path}\0`).join('');
    await run(repo, ['update-index', '-z', '--index-info'], { input, env });
    const applied = await run(repo, ['apply', '--cached', '--whitespace=nowarn', '-'], { input: patch, env, codes: [0, 1, 128] });
    if (applied.code !== 0) return { problem: 'The patch does not apply' };
    const { stdout } = await run(repo, ['ls-files', '--stage', '-z'], { env });
    return changesBetween(before, entriesIn(stdout.toString('utf8'), /^(\d{6}) ([0-9a-f]+) 0\t(.+)$/s));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Their names are arguments of Git. */
const maxPaths = 200;

/** The folders that a path is in. */
const foldersOf = (path: string): string[] => {
  const names = path.split('/');
  return names.slice(1).map((_, at) => names.slice(0, at + 1).join('/'));
};

/** The paths of a patch; undefined if Git can't read it. */
async function pathsIn(repo: GitRepository, patch: string): Promise<readonly string[] | undefined> {
  try {
    const { stdout } = await run(repo, ['apply', '--numstat', '-z', '-'], { input: patch });
    const rows = stdout.toString('utf8').split('\0');
    // A rename has its two paths in entries of their own.
    return rows.flatMap((row) => row.split('\t').slice(-1)).filter((path) => path !== '');
  } catch (error) {
    if (isGitError(error, 'failed')) return undefined;
    throw error;
  }
}

async function entriesOf(repo: GitRepository, commit: Oid, paths: readonly string[]): Promise<Map<string, Entry>> {
  if (paths.length === 0) return new Map();
  const { stdout } = await run(repo, ['ls-tree', '-z', '--full-tree', checkedOid(commit), '--', ...paths]);
  return entriesIn(stdout.toString('utf8'), /^(\d{6}) \w+ ([0-9a-f]+)\t(.+)$/s);
}

function entriesIn(text: string, form: RegExp): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  for (const row of text.split('\0')) {
    const [, mode, oid, path] = form.exec(row) ?? [];
    if (mode !== undefined && oid !== undefined && path !== undefined)
      entries.set(path, { mode: mode as TreeMode, oid: checkedOid(oid) });
  }
  return entries;
}

const isRegular = (mode: string): boolean => mode === '100644' || mode === '100755';

function changesBetween(before: ReadonlyMap<string, Entry>, after: ReadonlyMap<string, Entry>): PatchedFiles {
  const changes: TreeChange[] = [];
  for (const [path, { mode, oid }] of after) {
    const was = before.get(path);
    if (!isRegular(mode) || (was ? was.mode !== mode : mode !== '100644'))
      return { problem: `The patch changes the mode of ${path}` };
    if (was?.oid !== oid) changes.push({ path, mode, oid });
  }
  for (const path of before.keys()) if (!after.has(path)) return { problem: `The patch removes ${path}` };
  return changes.length === 0 ? { problem: 'The patch changes nothing' } : { changes };
}
