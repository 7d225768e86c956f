import { GitError } from '../errors.ts';

/** A full object name: 40 lower-case hexadecimal digits. Hearth's repositories use SHA-1. */
export type Oid = string;

/** The Git protocol's value for "no object", for a ref that is created or deleted. */
export const zeroOid: Oid = '0'.repeat(40);

/** The empty tree. Git can read it even if it isn't stored. */
export const emptyTree: Oid = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

const pattern = /^[0-9a-f]{40}$/;

export const isOid = (text: string): boolean => pattern.test(text);

/**
 * Returns an object name after a check. All names on command lines must be checked, so that a user's input can't be an option or
 * another revision.
 * @throws GitError `invalid`
 */
export function checkedOid(text: Oid): Oid {
  if (!isOid(text)) throw new GitError('invalid', 'Not a full object name');
  return text;
}

/** Returns the beginning of an object name, at least 7 digits, after the same check. @throws GitError `invalid` */
export function checkedPrefix(digits: string): string {
  if (!/^[0-9a-f]{7,40}$/.test(digits)) throw new GitError('invalid', 'Not the beginning of an object name');
  return digits;
}
