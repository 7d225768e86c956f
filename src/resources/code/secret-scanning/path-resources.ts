import { pathResource } from '#endpoint/path-resource.ts';
import { idOf, numberWord } from '#endpoint/path-words.ts';
import { findPatternForUpdate, selectOrgPattern, selectRepoPattern } from './custom-patterns/store.ts';
import { findAlertForUpdate, selectAlert } from './store.ts';

/** An alert of a repository with secret scanning enabled, by its number. */
export const secretAlert = pathResource({
  name: 'secretAlert',
  words: { alert_number: numberWord },
  below: 'repo',
  query: ({ db, at }, { alert_number }) => selectAlert(db, at.repo.id, alert_number),
  lock: (tx, at) => findAlertForUpdate(tx, at.secretAlert),
});

/** A custom pattern of an organization. */
export const orgPattern = pathResource({
  name: 'customPattern',
  words: { pattern_id: idOf('secret_patterns') },
  below: 'org',
  query: ({ db, at }, { pattern_id }) => selectOrgPattern(db, at.org.id, pattern_id),
  lock: (tx, at) => findPatternForUpdate(tx, at.customPattern),
});

/** A custom pattern of a repository itself. */
export const repoPattern = pathResource({
  name: 'customPattern',
  words: { pattern_id: idOf('secret_patterns') },
  below: 'repo',
  query: ({ db, at }, { pattern_id }) => selectRepoPattern(db, at.repo.id, pattern_id),
  lock: (tx, at) => findPatternForUpdate(tx, at.customPattern),
});
