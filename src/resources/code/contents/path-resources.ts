import { pathResource } from '#endpoint/path-resource.ts';
import { nameWord } from '#endpoint/path-words.ts';
import { findArchivedCommit } from './archive-address.ts';

/** A commit whose archive may be downloaded, by the key in a download address. */
export const archivedCommit = pathResource({
  name: 'archivedCommit',
  words: { commit_key: nameWord },
  below: undefined,
  find: ({ db, services: { secrets }, now }, { commit_key }) => findArchivedCommit({ db, secrets, now }, commit_key),
});
