/**
 * The kinds of lexemes of an account's row: each word has the prefix of its field. The first three are values of `in:`. No word
 * contains the prefixes.
 */
export const lexemeOf = {
  login: (word: string) => `=${word}`,
  name: (word: string) => `:${word}`,
  email: (word: string) => `@${word}`,
  location: (word: string) => `<${word}`,
} as const;

/** What an index has the words of, and what a search looks into. */
export type IndexedField = keyof typeof lexemeOf;
export type TextField = Exclude<IndexedField, 'location'>;

export const indexedFields = Object.keys(lexemeOf) as IndexedField[]; // the keys of the object above
export const textFields = ['login', 'name', 'email'] as const satisfies readonly TextField[];
