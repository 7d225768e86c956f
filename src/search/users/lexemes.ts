/**
 * The kinds of lexemes of an account's row. Each word has the prefix of its field. The first three are values of `in:`. No word
 * contains the prefixes.
 */
export const lexemeOf = {
  login: (word: string) => `=${word}`,
  name: (word: string) => `:${word}`,
  email: (word: string) => `@${word}`,
  location: (word: string) => `<${word}`,
} as const;

/** The fields that an index contains, and the fields that a search covers. */
export type IndexedField = keyof typeof lexemeOf;
export type TextField = Exclude<IndexedField, 'location'>;

export const indexedFields = Object.keys(lexemeOf) as IndexedField[]; // the keys of the object above
export const textFields = ['login', 'name', 'email'] as const satisfies readonly TextField[];
