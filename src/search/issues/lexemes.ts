/**
 * The kinds of lexeme in an issue's row. A word stands bare wherever it is found, and once more for each place that has it. No
 * word holds the characters in front.
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
  repository: (id: number) => `/${id}`,
  /** A plain fact, such as `issue`, `open` or `locked`. */
  fact: (name: string) => `!${name}`,
  /** Something that the issue has none of. */
  without: (what: string) => `-${what}`,
} as const;

const longestName = 200;

/** A name as it is compared: composed, in lower case, with single blanks. */
const foldName = (name: string): string =>
  name
    .normalize('NFC')
    .toLowerCase()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, longestName)
    .toWellFormed();
