import { posix } from 'node:path';
import type { ObjectReader } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import { type TreeMode, typeOfMode } from '#git/objects/parse-tree.ts';
import { pathProblem } from '#git/objects/paths.ts';
import { branchRef } from '#git/refs/ref-name.ts';
import { findRevision } from '#git/refs/resolve.ts';
import type { GitRepository } from '#git/repo.ts';
import { Refusal } from '#lib/refusal.ts';
import { trimOf } from '#lib/trim.ts';
import { isEmpty } from '#resources/code/commits/index.ts';

/** The entry at a path of a commit. The root folder has the path ''. */
export type Entry = { path: string; mode: TreeMode; oid: Oid; size: number };

/** A commit, with the revision that it was found by. */
export type ResolvedCommit = { commit: Oid; ref: string };

/** The commit of a revision, or of the default branch if none is given. */
export async function resolveCommit(
  gitRepository: GitRepository,
  ref: string | undefined,
  defaultBranch: string,
): Promise<ResolvedCommit> {
  const wanted = ref === undefined || ref === '' ? branchRef(defaultBranch) : ref;
  const found = await findRevision(gitRepository, wanted, { peel: 'commit' });
  if (found?.type === 'commit') return { commit: found.oid, ref: ref || defaultBranch };
  if (await isEmpty(gitRepository)) throw new Refusal('not_found', 'This repository is empty.');
  throw new Refusal('not_found', `No commit found for the ref ${ref || defaultBranch}`);
}

/** A path without leading and trailing slashes. */
export const trimSlashes = (path: string): string => trimOf(path, '/');

/** The entry at a path; undefined where there is none. Symbolic links in the folders above aren't followed. */
export async function findEntry(reader: ObjectReader, commit: Oid, path: string): Promise<Entry | undefined> {
  if (path === '') {
    const root = await reader.findFolder(commit, '');
    return root && { path, mode: '040000', oid: root.oid, size: 0 };
  }
  if (pathProblem(path)) return undefined;
  const folder = posix.dirname(path);
  const parent = await reader.findFolder(commit, folder === '.' ? '' : folder);
  if (!parent) return undefined;
  const found = await reader.findChild(parent, posix.basename(path));
  if (!found) return undefined;
  const size = typeOfMode(found.mode) === 'blob' ? await reader.sizeOf(found.oid) : 0;
  return { path, mode: found.mode, oid: found.oid, size };
}

const maxTargetBytes = 4096;

/** The target of a symbolic link, as it is written there. */
export async function targetOf(reader: ObjectReader, { oid, size }: Entry): Promise<string> {
  return size > maxTargetBytes ? '' : (await reader.get(oid)).data.toString('utf8');
}

/** The file in the repository that a symbolic link points to; undefined where it points outside, or to no file. */
export async function followLink(reader: ObjectReader, commit: Oid, link: Entry): Promise<Entry | undefined> {
  const target = await targetOf(reader, link);
  if (target === '' || target.startsWith('/')) return undefined;
  const path = posix.normalize(posix.join(posix.dirname(link.path), target));
  if (path === '.' || path === '..' || path.startsWith('../')) return undefined;
  const found = await findEntry(reader, commit, path);
  return found && isFile(found) ? found : undefined;
}

export const isFile = ({ mode }: Pick<Entry, 'mode'>): boolean => mode === '100644' || mode === '100755';
