import { fixedValue, limitTable } from '#lib/limits.ts';
import { GitError } from '../errors.ts';

const longest = fixedValue(limitTable.git.refName);
/** Each part but the last is a folder on disk. */
const maxParts = fixedValue(limitTable.git.refNameParts);
/** A part is a file's name on disk, and Git adds `.lock` to it: file systems take 255 bytes. */
const longestPart = 250;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what Git forbids here.
const forbidden = /[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{/;

/**
 * Why this full ref name (`refs/heads/x`) is none, by the rules of `git check-ref-format`; undefined when it is fine.
 * A name may begin with `-` after `refs/heads/`: such names are legal, so no ref name may stand where git reads options.
 */
export function refNameProblem(name: string): string | undefined {
  if (!name.startsWith('refs/')) return 'must begin with refs/';
  if (Buffer.byteLength(name) > longest) return 'is too long';
  // U+FFFD is what bytes that aren't UTF-8 were read as: the name would become another one.
  if (!name.isWellFormed() || name.includes('\ufffd')) return 'is not Unicode text';
  if (forbidden.test(name)) return 'holds a character or sequence that Git forbids';
  if (name.endsWith('.')) return 'ends with a dot';
  const parts = name.split('/');
  if (parts.length < 3) return 'needs a name after refs/ and its kind';
  if (parts.length > maxParts) return 'has too many parts';
  if (parts.some((part) => part === '')) return 'has an empty part';
  if (parts.some((part) => Buffer.byteLength(part) > longestPart)) return 'has a part that is too long';
  if (parts.some((part) => part.startsWith('.') || part.endsWith('.lock')))
    return 'has a part that begins with . or ends with .lock';
  return undefined;
}

/** Throws `invalid` unless the text is a full ref name. */
export function checkRefName(name: string): void {
  const problem = refNameProblem(name);
  if (problem) throw new GitError('invalid', `The ref name ${problem}`);
}

/** Refs that Git is told to hide, with all below them. */
export const hiddenRefs = { always: 'refs/hearth', fromPushes: 'refs/pull' } as const;

/**
 * Why a push can't move this ref: it is hidden. Git itself would refuse it too, but carry out the rest of an
 * atomic push.
 */
export const hiddenRefProblem = (name: string): string | undefined =>
  Object.values(hiddenRefs).some((hidden) => name.startsWith(`${hidden}/`)) ? "is the server's own" : undefined;

const objectName = /^[0-9a-f]{40}$/i;

/**
 * Why nobody may make this ref though Git allows it: names that read as something else would be found in its
 * place (`refs/heads/refs/heads/x` for `refs/heads/x`, 40 digits for a commit, `HEAD`).
 */
export function misleadingRefProblem(name: string): string | undefined {
  if (name.startsWith('refs/refs/')) return 'reads as a full ref name';
  const short = /^refs\/(?:heads|tags|remotes)\/(.+)$/s.exec(name)?.[1];
  if (short === undefined) return undefined;
  if (objectName.test(short)) return 'reads as an object name';
  if (short === 'HEAD' || short === '@') return 'reads as HEAD';
  if (short.startsWith('refs/')) return 'reads as a full ref name';
  return undefined;
}
