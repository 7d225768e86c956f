/**
 * The slug of a team's name: lower-case ASCII letters, digits, `_` and hyphens. Accents are removed, and everything else becomes
 * one hyphen. Empty if nothing is left of the name.
 * @example slugOf('Núcleo & Motoren') // nucleo-motoren
 */
export const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, '-')
    .replace(/^-|-$/g, '');
