import { pathResource } from '#endpoint/path-resource.ts';
import { slugWord } from '#endpoint/path-words.ts';
import { openObjects } from '#git/objects/objects.ts';
import { isOid } from '#git/objects/oid.ts';
import { repoOf } from '#git/store.ts';
import { unprocessable } from '#lib/refusal.ts';

/** A commit by its full name. A branch is refused: what is said of a commit must not depend on a push in between. */
export const commitBySha = pathResource({
  name: 'commit',
  words: { sha: slugWord },
  below: 'repo',
  async find({ at: { repo }, services: { git } }, { sha }) {
    const oid = sha.toLowerCase();
    await using reader = await openObjects(repoOf(git, repo.id));
    if (!isOid(oid) || (await reader.findInfo(oid))?.type !== 'commit') throw unprocessable(`No commit found for SHA: ${sha}`);
    return { oid };
  },
});
