import { GitError } from '../errors.ts';

/** A full object name: 40 lower-case hexadecimal digits. Hearth's repositories use SHA-1. */
export type Oid = string;

/** What the Git protocol says for "no object": a ref that doesn't exist yet, or no longer. */
export const zeroOid: Oid = '0'.repeat(40);

/** The empty tree, which Git knows without storing it. */
export const emptyTree: Oid = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

const pattern = /^[0-9a-f]{40}$/;

export const isOid = (text: string): boolean => pattern.test(text);

/**
 * The object name, checked. Only checked names reach a command line, so that no text of a user's can be read as an option
 * or as another revision.
 */
export function checkedOid(text: Oid): Oid {
  if (!isOid(text)) throw new GitError('invalid', 'Not a full object name');
  return text;
}
