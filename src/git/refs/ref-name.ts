import { fixedValue } from '#lib/limits.ts';
import { GitError } from '../errors.ts';
import { gitLimits } from '../limits.ts';

/** The prefix of branches' full names. */
export const heads = 'refs/heads/';

/** The full name of a branch. */
export const branchRef = (branch: string): string => heads + branch;

/** The short name of a branch from its full name; undefined for other refs. */
export const branchOf = (ref: string): string | undefined => (ref.startsWith(heads) ? ref.slice(heads.length) : undefined);

/** The short name of a branch. `refs/heads/` before the given name is optional. */
export const shortNameOf = (name: string): string => branchOf(name) ?? name;

const maxBytes = fixedValue(gitLimits.refName);
/** Each part except the last is a folder on disk. */
const maxParts = fixedValue(gitLimits.refNameParts);
/** A part is the name of a file on disk, to which Git adds `.lock`. File systems allow 255 bytes. */
const maxPartBytes = 250;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what Git forbids here.
const forbidden = /[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{/;

/**
 * Why a full ref name (`refs/heads/x`) is invalid, by the rules of `git check-ref-format`; undefined if it is valid. Branches may
 * begin with `-`, so short names must never appear where git reads options.
 */
export function refNameProblem(name: string): string | undefined {
  if (!name.startsWith('refs/')) return 'must begin with refs/';
  if (Buffer.byteLength(name) > maxBytes) return 'is too long';
  // Bytes that aren't UTF-8 were decoded as U+FFFD, so this isn't the original name.
  if (!name.isWellFormed() || name.includes('\ufffd')) return 'is not Unicode text';
  if (forbidden.test(name)) return 'holds a character or sequence that Git forbids';
  if (name.endsWith('.')) return 'ends with a dot';
  const parts = name.split('/');
  if (parts.length < 3) return 'needs a name after refs/ and its kind';
  if (parts.length > maxParts) return 'has too many parts';
  if (parts.some((part) => part === '')) return 'has an empty part';
  if (parts.some((part) => Buffer.byteLength(part) > maxPartBytes)) return 'has a part that is too long';
  if (parts.some((part) => part.startsWith('.') || part.endsWith('.lock')))
    return 'has a part that begins with . or ends with .lock';
  return undefined;
}

/** @throws GitError `invalid` unless the text is a valid full ref name */
export function checkRefName(name: string): void {
  const problem = refNameProblem(name);
  if (problem) throw new GitError('invalid', `The ref name ${problem}`);
}

/** The prefixes of refs that Git hides. */
export const hiddenRefs = { always: 'refs/hearth', fromPushes: 'refs/pull' } as const;

/** Why a push can't move a hidden ref. Git refuses it too, but would perform the rest of an atomic push. */
export const hiddenRefProblem = (name: string): string | undefined =>
  Object.values(hiddenRefs).some((hidden) => name.startsWith(`${hidden}/`)) ? "is the server's own" : undefined;

const objectName = /^[0-9a-f]{40}$/i;

/**
 * Why a ref name that Git would allow is refused: it could be mistaken for something else (`refs/heads/refs/heads/x` for
 * `refs/heads/x`, 40 digits for a commit, `HEAD`).
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
