import type { Repo } from '#access/viewer.ts';
import { type ObjectReader, openObjects } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import { branchRef } from '#git/refs/ref-name.ts';
import { type SplitRef, splitRef } from '#git/refs/split-ref.ts';
import type { GitRepository, GitStore } from '#git/repo.ts';
import { repoOf } from '#git/store.ts';
import { orNotFound } from '#lib/refusal.ts';
import { type Entry, findEntry, trimSlashes } from '#resources/code/contents/index.ts';
import type { ShownLocation } from './schemas.ts';

/** What the end of a page's address names: a ref, and a path at its commit. */
export type Location = SplitRef & { readonly gitRepository: GitRepository };

/** The location of `ref/path`; of the default branch for an empty text. Undefined if the default branch has no commit. */
export async function findLocation(git: GitStore, repo: Repo, text: string): Promise<Location | undefined> {
  const gitRepository = repoOf(git, repo.id);
  const wanted = trimSlashes(text);
  if (wanted !== '') return { ...orNotFound(await splitRef(gitRepository, wanted)), gitRepository };
  await using reader = await openObjects(gitRepository);
  const commit = (await reader.findInfo(branchRef(repo.default_branch), { peel: 'commit' }))?.oid;
  return commit === undefined ? undefined : { name: repo.default_branch, kind: 'branch', commit, path: '', gitRepository };
}

/** The location of `ref/path`. @throws Refusal 404 if it names no commit */
export const getLocation = async (git: GitStore, repo: Repo, text: string): Promise<Location> =>
  orNotFound(await findLocation(git, repo, text));

/** The entry at a location, such as a file or a folder. @throws Refusal 404 */
export async function getEntry(reader: ObjectReader, { commit, path }: { commit: Oid; path: string }): Promise<Entry> {
  return orNotFound(await findEntry(reader, commit, path));
}

const kinds = { '100644': 'file', '100755': 'file', '120000': 'symlink', '040000': 'dir', '160000': 'submodule' } as const;

/** What an entry is. */
export const kindOfEntry = ({ mode }: Pick<Entry, 'mode'>): (typeof kinds)[keyof typeof kinds] => kinds[mode];

export const presentLocation = ({ name, kind, commit, path }: SplitRef): ShownLocation => ({
  ref: name,
  ref_type: kind,
  sha: commit,
  path,
});
