import { pathResource } from '#endpoint/path-resource.ts';
import { numberWord } from '#endpoint/path-words.ts';
import { findAlertForUpdate, selectAlert } from './store.ts';

/** An alert of a repository with vulnerability alerts enabled, by its number. */
export const dependencyAlert = pathResource({
  name: 'dependencyAlert',
  words: { alert_number: numberWord },
  below: 'repo',
  query: ({ db, at }, { alert_number }) => selectAlert(db, at.repo.id, alert_number),
  lock: (tx, at) => findAlertForUpdate(tx, at.dependencyAlert),
});
