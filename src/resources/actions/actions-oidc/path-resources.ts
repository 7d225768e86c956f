import { pathResource } from '#endpoint/path-resource.ts';
import { slugWord } from '#endpoint/path-words.ts';
import { selectIncluded } from './store.ts';

/** A custom property that identity tokens include, by its name. */
export const includedProperty = pathResource({
  name: 'includedProperty',
  words: { custom_property_name: slugWord },
  below: 'org',
  query: ({ db, at }, { custom_property_name }) => selectIncluded(db, at.org.id, custom_property_name),
});
