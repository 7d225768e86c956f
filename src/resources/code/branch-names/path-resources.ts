import { type Lookup, pathResource } from '#endpoint/path-resource.ts';
import { nameWord } from '#endpoint/path-words.ts';
import { Renamed } from '#endpoint/renamed.ts';
import { shortNameOf } from '#git/refs/ref-name.ts';
import { type Branch, findBranch } from '#git/refs/refs.ts';
import { repoOf } from '#git/store.ts';
import { branchNotFound } from './not-found.ts';
import { findNewName } from './store.ts';

/** The path word that names a branch. */
export const branchWords = { branch: nameWord };

/** The branch in a path. @throws Refusal 404 if there is none; Renamed if it was renamed */
export async function getNamedBranch({ db, at, services: { git } }: Lookup<'repo'>, words: { branch: string }): Promise<Branch> {
  const found = await findBranch(repoOf(git, at.repo.id), words.branch);
  if (found) return found;
  const newName = await findNewName(db, at.repo.id, shortNameOf(words.branch));
  throw newName === undefined ? branchNotFound() : new Renamed('branch', newName);
}

/**
 * A branch of a repository, by its name with or without `refs/heads/`. A change is refused if the branch has moved in the
 * meantime.
 */
export const branch = pathResource({ name: 'branch', words: branchWords, below: 'repo', find: getNamedBranch });
