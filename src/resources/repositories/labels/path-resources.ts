import { pathResource } from '#endpoint/path-resource.ts';
import { nameWord } from '#endpoint/path-words.ts';
import { findLabelForUpdate, selectLabel } from './store.ts';

/** A label of a repository, by its name. */
export const label = pathResource({
  name: 'label',
  words: { name: nameWord },
  below: 'repo',
  query: ({ db, at }, { name }) => selectLabel(db, at.repo.id, name),
  lock: (tx, at) => findLabelForUpdate(tx, at.label),
});
