/**
 * The kinds of lexeme in a file's row. Words of its text stand bare; everything else begins with a character that no word
 * holds, so that one index answers for texts, paths, languages and repositories together.
 */
export const lexemeOf = {
  path: (word: string) => `/${word}`,
  name: (word: string) => `=${word}`,
  definition: (word: string) => `:${word}`,
  extension: (ending: string) => `.${ending}`,
  language: (name: string) => `#${name.toLowerCase().replaceAll(/\s/g, '-')}`,
  repository: (id: number) => `@${id}`,
} as const;
