import { pathResource } from '#endpoint/path-resource.ts';
import { numberWord } from '#endpoint/path-words.ts';
import { findMilestone, findMilestoneForUpdate } from './store.ts';

/** A milestone of a repository, by its number. */
export const milestone = pathResource({
  name: 'milestone',
  words: { milestone_number: numberWord },
  below: 'repo',
  find: ({ db, at }, { milestone_number }) => findMilestone(db, at.repo.id, milestone_number),
  lock: (tx, at) => findMilestoneForUpdate(tx, at.milestone),
});
