import { pathResource } from '#endpoint/path-resource.ts';
import { idOf } from '#endpoint/path-words.ts';
import { findDeployKeyForUpdate, selectDeployKey } from './store.ts';

/** A deploy key of a repository. */
export const deployKey = pathResource({
  name: 'deployKey',
  words: { key_id: idOf('public_keys') },
  below: 'repo',
  query: ({ db, at }, { key_id }) => selectDeployKey(db, at.repo.id, key_id),
  lock: (tx, at) => findDeployKeyForUpdate(tx, at.deployKey),
});
