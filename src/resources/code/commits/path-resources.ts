import { pathResource } from '#endpoint/path-resource.ts';
import { slugWord } from '#endpoint/path-words.ts';
import { repoOf } from '#git/store.ts';
import { unprocessable } from '#lib/refusal.ts';
import { getCommitOid } from './revisions.ts';

/** The commit for a revision. As in the public API, a revision without a commit is refused with 422. */
export const commit = pathResource({
  name: 'commit',
  words: { commit_sha: slugWord },
  below: 'repo',
  async find({ at: { repo }, services: { git } }, { commit_sha: revision }) {
    const refuse = () => unprocessable(`No commit found for SHA: ${revision}`);
    return { oid: await getCommitOid(repoOf(git, repo.id), { repo, revision, refuse }) };
  },
});
