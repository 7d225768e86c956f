import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomLength = 30;
const checksumLength = 6;

const base62 = (value: number): string => {
  let text = '';
  for (let rest = value; text.length < checksumLength; rest = Math.floor(rest / 62)) text = alphabet.charAt(rest % 62) + text;
  return text;
};

const checksum = (text: string): string => base62(crc32(text));

/** The prefix, 30 random base62 characters, and their CRC32 in base62 (security decision 5). */
export function newToken(prefix: string): string {
  let random = '';
  for (let i = 0; i < randomLength; i++) random += alphabet.charAt(randomInt(62));
  return `${prefix}${random}${checksum(random)}`;
}

/** Whether a text has the form of a token and a correct checksum. Others are refused without a database query. */
export function isWellFormed(token: string, prefixes: readonly string[]): boolean {
  const prefix = prefixes.find((candidate) => token.startsWith(candidate));
  if (prefix === undefined) return false;
  const rest = token.slice(prefix.length);
  if (rest.length !== randomLength + checksumLength) return false;
  return checksum(rest.slice(0, randomLength)) === rest.slice(randomLength);
}

/** The SHA-256 of a token, which is stored instead of the token. */
export const hashToken = (token: string): Buffer => hash('sha256', token, 'buffer');
