/** The kinds of lexeme in a repository's row: the place of each word, as `in:` names it. No word holds the characters in front. */
export const lexemeOf = {
  name: (word: string) => `=${word}`,
  description: (word: string) => `:${word}`,
  topics: (word: string) => `#${word}`,
  readme: (word: string) => `<${word}`,
} as const;

export type TextField = keyof typeof lexemeOf;
export const textFields = ['name', 'description', 'topics', 'readme'] as const satisfies readonly TextField[];

/** Where words are looked for unless `in:` says otherwise (the public API's). */
export const defaultTextFields: readonly TextField[] = ['name', 'description', 'topics'];
