import { pathResource } from '#endpoint/path-resource.ts';
import { slugWord } from '#endpoint/path-words.ts';
import { findRegistry, findRegistryForUpdate } from './store.ts';

/** A private registry of an organization, by the name of its secret. */
export const registry = pathResource({
  name: 'registry',
  words: { secret_name: slugWord },
  below: 'org',
  find: ({ db, at }, { secret_name }) => findRegistry(db, at.org.id, secret_name),
  lock: (tx, at) => findRegistryForUpdate(tx, at.registry),
});
