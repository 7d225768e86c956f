/**
 * The kinds of lexemes of a repository's row. Each word has the prefix of its field (a value of `in:`). No word contains the
 * prefixes.
 */
export const lexemeOf = {
  name: (word: string) => `=${word}`,
  description: (word: string) => `:${word}`,
  topics: (word: string) => `#${word}`,
  readme: (word: string) => `<${word}`,
} as const;

export type TextField = keyof typeof lexemeOf;
export const textFields = ['name', 'description', 'topics', 'readme'] as const satisfies readonly TextField[];

/** The fields that are searched without `in:` (as in the public API). */
export const defaultTextFields: readonly TextField[] = ['name', 'description', 'topics'];
