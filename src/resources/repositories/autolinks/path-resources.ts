import { pathResource } from '#endpoint/path-resource.ts';
import { idOf } from '#endpoint/path-words.ts';
import { findAutolinkForUpdate, selectAutolink } from './store.ts';

/** An autolink of a repository. */
export const autolink = pathResource({
  name: 'autolink',
  words: { autolink_id: idOf('autolinks') },
  below: 'repo',
  query: ({ db, at }, { autolink_id }) => selectAutolink(db, at.repo.id, autolink_id),
  lock: (tx, at) => findAutolinkForUpdate(tx, at.autolink),
});
