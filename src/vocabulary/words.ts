/** Which words a server emits: the documents' neutral ones, or those that existing clients know. Both are always accepted. */
export const vocabularies = ['service', 'github'] as const;
export type Vocabulary = (typeof vocabularies)[number];
