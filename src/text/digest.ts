import { createHash } from 'node:crypto';

/** The SHA-256 digest of a text, in base64: the key by which what was made of it is kept. */
export const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64');
