import { fixedValue } from '#lib/limits.ts';
import { GitError } from '../errors.ts';
import { gitLimits } from '../limits.ts';

const maxBytes = 4096;

// HFS+ ignores these characters in names, so `.g<U+200C>it` is `.git` there.
const ignorable = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** Why a path isn't allowed in a repository; undefined if it is. */
export function pathProblem(path: string): string | undefined {
  if (path === '') return 'is empty';
  if (path.includes('\0')) return 'holds a NUL';
  if (!path.isWellFormed()) return 'is not Unicode text';
  if (Buffer.byteLength(path) > maxBytes) return 'is too long';
  for (const part of path.split('/')) {
    if (part === '') return 'begins or ends with a slash, or holds two in a row';
    if (part === '.' || part === '..') return 'holds a . or .. part';
    if (isGitFolder(part)) return 'leads into a .git folder';
  }
  return undefined;
}

/**
 * Whether some file system treats this name as `.git`, because of its case, HFS+'s ignored characters, or NTFS's endings or short
 * name.
 */
function isGitFolder(part: string): boolean {
  const folded = part.replace(ignorable, '').toLowerCase();
  return folded.split(/[\\:]/).some((piece) => /^(?:\.git|git~1)[. ]*$/.test(piece));
}

/** @throws GitError `invalid` for a path that isn't allowed */
export function checkPath(path: string): void {
  const problem = pathProblem(path);
  if (problem) throw new GitError('invalid', `The path ${problem}`);
}

const maxTogether = fixedValue(gitLimits.newPaths);

/**
 * Counts the paths that are written together, since they are held and sorted together. The function takes each path.
 * @throws GitError `too-large` where they are too long
 */
export function pathMeasure(): (path: string) => void {
  let bytes = 0;
  return (path) => {
    bytes += Buffer.byteLength(path);
    if (bytes > maxTogether)
      throw new GitError('too-large', `The paths have more than ${maxTogether} bytes together (git.newPaths)`);
  };
}
