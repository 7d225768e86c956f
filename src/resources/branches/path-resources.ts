import { pathResource } from '#endpoint/path-resource.ts';
import { nameWord } from '#endpoint/path-words.ts';
import { repoOf } from '#git/store.ts';
import { getBranch } from './rules.ts';

/** A branch of a repository, by its name with or without `refs/heads/` before it. A change is refused if the branch has moved meanwhile. */
export const branch = pathResource({
  name: 'branch',
  words: { branch: nameWord },
  below: 'repo',
  find: ({ at, services: { git } }, words) => getBranch(repoOf(git, at.repo.id), words.branch),
});
