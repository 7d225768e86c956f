import { pathResource } from '#endpoint/path-resource.ts';
import { slugWord } from '#endpoint/path-words.ts';
import { findTemplate } from './catalogue.ts';

/** A template for `.gitignore`, by its name. */
export const gitignoreTemplate = pathResource({
  name: 'gitignoreTemplate',
  words: { name: slugWord },
  below: undefined,
  find: async (_lookup, words) => findTemplate(words.name),
});
