/**
 * The kinds of lexemes of a commit's row. Words of the message have no prefix. No word contains the prefixes of the other kinds.
 */
export const lexemeOf = {
  subject: (word: string) => `=${word}`,
  authorName: (word: string) => `<${word}`,
  committerName: (word: string) => `>${word}`,
  authorEmail: (email: string) => `+${email}`,
  committerEmail: (email: string) => `-${email}`,
  hash: (oid: string) => `$${oid}`,
  parent: (oid: string) => `^${oid}`,
  tree: (oid: string) => `%${oid}`,
  /** Without an id: the prefix to which a statement appends the id. */
  repository: (id: number | '') => `@${id}`,
} as const;
