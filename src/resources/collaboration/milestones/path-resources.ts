import { pathResource } from '#endpoint/path-resource.ts';
import { numberWord } from '#endpoint/path-words.ts';
import { findMilestoneForUpdate, selectMilestone } from './store.ts';

/** A milestone of a repository, by its number. */
export const milestone = pathResource({
  name: 'milestone',
  words: { milestone_number: numberWord },
  below: 'repo',
  query: ({ db, at }, { milestone_number }) => selectMilestone(db, at.repo.id, milestone_number),
  lock: (tx, at) => findMilestoneForUpdate(tx, at.milestone),
});
