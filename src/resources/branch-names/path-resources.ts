import { pathResource } from '#endpoint/path-resource.ts';
import { nameWord } from '#endpoint/path-words.ts';
import { Renamed } from '#endpoint/renamed.ts';
import { repoOf } from '#git/store.ts';
import { branchNotFound, findBranch, shortNameOf } from './find.ts';
import { findNewName } from './store.ts';

/** A branch of a repository, by its name with or without `refs/heads/` before it. A change is refused if the branch has moved meanwhile. */
export const branch = pathResource({
  name: 'branch',
  words: { branch: nameWord },
  below: 'repo',
  async find({ db, at, services: { git } }, words) {
    const name = shortNameOf(words.branch);
    const found = await findBranch(repoOf(git, at.repo.id), name);
    if (found) return found;
    const newName = await findNewName(db, at.repo.id, name);
    throw newName === undefined ? branchNotFound() : new Renamed('branch', newName);
  },
});
