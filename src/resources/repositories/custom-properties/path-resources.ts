import { pathResource } from '#endpoint/path-resource.ts';
import { slugWord } from '#endpoint/path-words.ts';
import { findPropertyForUpdate, selectProperty } from './store.ts';

/** A property that an organization defines for its repositories, by its name. */
export const customProperty = pathResource({
  name: 'customProperty',
  words: { custom_property_name: slugWord },
  below: 'org',
  query: ({ db, at }, { custom_property_name }) => selectProperty(db, at.org.id, custom_property_name),
  lock: (tx, at) => findPropertyForUpdate(tx, at.customProperty),
});
