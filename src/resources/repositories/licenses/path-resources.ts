import { pathResource } from '#endpoint/path-resource.ts';
import { slugWord } from '#endpoint/path-words.ts';
import { findLicense } from './catalogue.ts';

/** A license with a known text, by its key. */
export const license = pathResource({
  name: 'license',
  words: { license: slugWord },
  below: undefined,
  find: async (_lookup, words) => findLicense(words.license),
});
