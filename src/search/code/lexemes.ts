/**
 * The kinds of lexemes of a file's row. Words of the text have no prefix; all others have a prefix that no word contains, so that
 * one index serves texts, paths, languages and repositories.
 */
export const lexemeOf = {
  path: (word: string) => `/${word}`,
  name: (word: string) => `=${word}`,
  definition: (word: string) => `:${word}`,
  extension: (ending: string) => `.${ending}`,
  language: (name: string) => `#${name.toLowerCase().replaceAll(/\s/g, '-')}`,
  repository: (id: number) => `@${id}`,
} as const;
