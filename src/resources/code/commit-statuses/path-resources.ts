import { pathResource } from '#endpoint/path-resource.ts';
import { slugWord } from '#endpoint/path-words.ts';
import { repoOf } from '#git/store.ts';
import { getCommitBySha } from '#resources/code/commits/index.ts';

/** A commit by its full id. */
export const commitBySha = pathResource({
  name: 'commit',
  words: { sha: slugWord },
  below: 'repo',
  async find({ at: { repo }, services: { git } }, { sha }) {
    return { oid: await getCommitBySha(repoOf(git, repo.id), sha) };
  },
});
