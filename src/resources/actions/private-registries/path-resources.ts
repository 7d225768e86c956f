import { Type } from 'typebox';
import { pathResource } from '#endpoint/path-resource.ts';
import { findRegistry, findRegistryForUpdate } from './store.ts';

/** A private registry of an organization, by the name of its secret. */
export const registry = pathResource({
  name: 'registry',
  words: { secret_name: Type.String({ pattern: '^\\w+$', maxLength: 1024 }) },
  below: 'org',
  find: ({ db, at }, { secret_name }) => findRegistry(db, at.org.id, secret_name),
  lock: (tx, at) => findRegistryForUpdate(tx, at.registry),
});
