/**
 * The slug of a team's name: lower-case ASCII letters, digits, `_` and hyphens; accents are dropped, and everything
 * else becomes one hyphen. Empty when nothing of the name is left.
 * @example slugOf('Núcleo & Motoren') // nucleo-motoren
 */
export const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, '-')
    .replace(/^-|-$/g, '');
