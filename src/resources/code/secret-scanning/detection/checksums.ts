import { isWellFormed } from '#lib/token.ts';

/**
 * The check of tokens that end in the CRC32 of their random part, in base62: Hearth's own, and those of others of the same form.
 */
export const endsInCrc32 =
  (prefix: string) =>
  (token: string): boolean =>
    isWellFormed(token, [prefix]);
