/** The kinds of lexeme in a repository's row: the place of each word, as `in:` names it. No word holds the characters in front. */
export const facet = {
  name: (word: string) => `=${word}`,
  description: (word: string) => `:${word}`,
  topics: (word: string) => `#${word}`,
  readme: (word: string) => `<${word}`,
} as const;

export type Place = keyof typeof facet;
export const places = ['name', 'description', 'topics', 'readme'] as const satisfies readonly Place[];

/** Where words are looked for unless `in:` says otherwise (the public API's). */
export const usualPlaces: readonly Place[] = ['name', 'description', 'topics'];
