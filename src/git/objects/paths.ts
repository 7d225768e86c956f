import { GitError } from '../errors.ts';

const longest = 4096;

// What HFS+ ignores in a name, so that `.g<U+200C>it` is `.git` there.
const ignorable = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** Why a file can't have this path in a repository; undefined when it can. */
export function pathProblem(path: string): string | undefined {
  if (path === '') return 'is empty';
  if (path.includes('\0')) return 'holds a NUL';
  if (!path.isWellFormed()) return 'is not Unicode text';
  if (Buffer.byteLength(path) > longest) return 'is too long';
  for (const part of path.split('/')) {
    if (part === '') return 'begins or ends with a slash, or holds two in a row';
    if (part === '.' || part === '..') return 'holds a . or .. part';
    if (isGitFolder(part)) return 'leads into a .git folder';
  }
  return undefined;
}

/** Whether some file system takes this name for `.git`: case, HFS+'s ignorable characters, NTFS's endings and short name. */
function isGitFolder(part: string): boolean {
  const folded = part.replace(ignorable, '').toLowerCase();
  return folded.split(/[\\:]/).some((piece) => /^(?:\.git|git~1)[. ]*$/.test(piece));
}

/** Throws `invalid` unless a file can have this path. */
export function checkPath(path: string): void {
  const problem = pathProblem(path);
  if (problem) throw new GitError('invalid', `The path ${problem}`);
}
