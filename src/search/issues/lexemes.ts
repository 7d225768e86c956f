/**
 * The kinds of lexemes of an issue's row. A word has no prefix, and is repeated with the prefix of each field that contains it.
 * No word contains the prefix characters.
 */
export const lexemeOf = {
  title: (word: string) => `=${word}`,
  body: (word: string) => `+${word}`,
  comments: (word: string) => `;${word}`,
  author: (id: number) => `<${id}`,
  assignee: (id: number) => `>${id}`,
  commenter: (id: number) => `^${id}`,
  mention: (login: string) => `@${login.toLowerCase()}`,
  team: (organization: string, slug: string) => `@${organization}/${slug}`.toLowerCase(),
  label: (name: string) => `#${foldName(name)}`,
  milestone: (title: string) => `$${foldName(title)}`,
  /** The branch of a pull request, or a beginning of its name. */
  head: (name: string) => `~${foldName(name)}`,
  base: (name: string) => `&${foldName(name)}`,
  /** A commit of a pull request, or the first digits of one. */
  commit: (digits: string) => `%${digits.toLowerCase()}`,
  repository: (id: number) => `/${id}`,
  /** An attribute such as `issue`, `pull`, `open` or `locked`. */
  fact: (name: string) => `!${name}`,
  /** An attribute that the issue doesn't have. */
  without: (what: string) => `-${what}`,
} as const;

const maxName = 200;

/** A name for comparison: NFC, lower case, with single spaces. */
const foldName = (name: string): string =>
  name
    .normalize('NFC')
    .toLowerCase()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, maxName)
    .toWellFormed();
