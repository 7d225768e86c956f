/** The kinds of lexeme in a commit's row; words of its message stand bare. No word holds the characters in front. */
export const lexemeOf = {
  subject: (word: string) => `=${word}`,
  authorName: (word: string) => `<${word}`,
  committerName: (word: string) => `>${word}`,
  authorEmail: (email: string) => `+${email}`,
  committerEmail: (email: string) => `-${email}`,
  hash: (oid: string) => `$${oid}`,
  parent: (oid: string) => `^${oid}`,
  tree: (oid: string) => `%${oid}`,
  /** Without an id, the beginning to which a statement appends it. */
  repository: (id: number | '') => `@${id}`,
} as const;
