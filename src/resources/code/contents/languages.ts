import type { RepositoryRow } from '#access/viewer.ts';
import type { Scope } from '#endpoint/scope.ts';
import type { Oid } from '#git/objects/oid.ts';
import { type ListedEntry, readPartOfTree } from '#git/objects/tree-list.ts';
import { branchRef } from '#git/refs/ref-name.ts';
import { findRef } from '#git/refs/refs.ts';
import type { GitRepository, GitStore } from '#git/repo.ts';
import { repoOf } from '#git/store.ts';
import { countedLanguageOf } from '#search/index.ts';
import { findMeasurement } from './store.ts';

/** Bytes by language, the language with the most first. */
type Languages = Record<string, number>;

/** Files and folders beyond this number aren't counted. */
const maxEntries = 100_000;

/** Vendored and generated files, which don't count as the repository's own. */
const vendored = /(?:^|\/)(?:node_modules|bower_components|vendors?|third[_-]?party|dist|extern(?:al)?s?)\/|\.min\.(?:js|css)$/i;

/** The languages of a commit's files, detected by their names. */
export async function countLanguages(gitRepository: GitRepository, commit: Oid): Promise<Languages> {
  const bytes = new Map<string, number>();
  for await (const entries of readPartOfTree(gitRepository, commit, { recursive: true, folders: true, limit: maxEntries })) {
    for (const entry of entries) {
      const language = languageOf(entry);
      if (language !== undefined) bytes.set(language, (bytes.get(language) ?? 0) + (entry.size ?? 0));
    }
  }
  return largestFirst(bytes);
}

function languageOf({ path, mode, size = 0 }: ListedEntry): string | undefined {
  const isFile = mode === '100644' || mode === '100755';
  return isFile && size > 0 && !vendored.test(path) ? countedLanguageOf(path) : undefined;
}

/** The commit of the default branch, where there is one. */
export const findTip = async (git: GitStore, { id, default_branch }: Pick<RepositoryRow, 'id' | 'default_branch'>) =>
  (await findRef(repoOf(git, id), branchRef(default_branch)))?.oid;

/** The languages of the default branch: as the job counted them, or counted now if the job hasn't processed the last push yet. */
export async function languagesOf({ db, git }: Scope, repo: Pick<RepositoryRow, 'id' | 'default_branch'>): Promise<Languages> {
  const tip = await findTip(git, repo);
  if (tip === undefined) return {};
  const counted = await findMeasurement(db, repo.id);
  return counted?.commit_oid === tip ? largestFirst(Object.entries(counted.bytes)) : countLanguages(repoOf(git, repo.id), tip);
}

/** Ordered by bytes. The database doesn't keep the order of JSON objects. */
export const largestFirst = (bytes: Iterable<[string, number]>): Languages =>
  Object.fromEntries([...bytes].sort(([a, bytesOfA], [b, bytesOfB]) => bytesOfB - bytesOfA || (a < b ? -1 : 1)));
