import { pathResource } from '#endpoint/path-resource.ts';
import { idOf } from '#endpoint/path-words.ts';
import { findField, findFieldForUpdate } from './store.ts';

/** A field that an organization gives its issues, by its id. */
export const issueField = pathResource({
  name: 'issueField',
  words: { issue_field_id: idOf('issue_fields') },
  below: 'org',
  find: ({ db, at }, { issue_field_id }) => findField(db, at.org.id, issue_field_id),
  lock: (tx, at) => findFieldForUpdate(tx, at.issueField),
});
