import { pathResource } from '#endpoint/path-resource.ts';
import { numberWord } from '#endpoint/path-words.ts';
import { issueNumbers } from '#resources/collaboration/issues/index.ts';
import { findPullForUpdate, selectPull } from './store.ts';

/** A pull request of a repository, by its number. Its row is also that of its issue. */
export const pull = pathResource({
  name: 'pull',
  words: { pull_number: numberWord },
  below: 'repo',
  loader: issueNumbers,
  query: ({ db, at }, { pull_number }) => selectPull(db, at.repo.id, pull_number),
  lock: (tx, at) => findPullForUpdate(tx, at.pull),
});

/** A pull request that was merged, by its number. */
export const mergedPull = pathResource({
  name: 'mergedPull',
  words: { pull_number: numberWord },
  below: 'repo',
  query: ({ db, at }, { pull_number }) => selectPull(db, at.repo.id, pull_number).where('i.merged_at', 'is not', null),
});
