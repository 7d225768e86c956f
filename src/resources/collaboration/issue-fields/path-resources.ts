import { pathResource } from '#endpoint/path-resource.ts';
import { idOf } from '#endpoint/path-words.ts';
import { findFieldForUpdate, selectField } from './store.ts';

/** A field that an organization defines for its issues, by its id. */
export const issueField = pathResource({
  name: 'issueField',
  words: { issue_field_id: idOf('issue_fields') },
  below: 'org',
  query: ({ db, at }, { issue_field_id }) => selectField(db, at.org.id, issue_field_id),
  lock: (tx, at) => findFieldForUpdate(tx, at.issueField),
});
