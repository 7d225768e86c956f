import { pathResource } from '#endpoint/path-resource.ts';
import { slugWord } from '#endpoint/path-words.ts';
import { repoOf } from '#git/store.ts';
import { unprocessable } from '#lib/refusal.ts';
import { getCommitOid } from './revisions.ts';

/** The commit that a revision names. A revision that names none is answered 422, as in the public API. */
export const commit = pathResource({
  name: 'commit',
  words: { commit_sha: slugWord },
  below: 'repo',
  async find({ at: { repo }, services: { git } }, { commit_sha: revision }) {
    const refuse = () => unprocessable(`No commit found for SHA: ${revision}`);
    return { oid: await getCommitOid(repoOf(git, repo.id), { repo, revision, refuse }) };
  },
});
