import { GitError } from '../errors.ts';
import type { ObjectType } from './cat-file.ts';
import type { Oid } from './oid.ts';

/** The modes that Git stores. */
export const treeModes = ['100644', '100755', '120000', '040000', '160000'] as const;
export type TreeMode = (typeof treeModes)[number];

/** An entry of a tree. `bytes` is the stored name. `name` is the same as text, with U+FFFD for bytes that aren't UTF-8. */
export type TreeEntry = { mode: TreeMode; type: ObjectType; name: string; bytes: Buffer; oid: Oid };

/** The type of the object of an entry. The commit of a submodule is in another repository. */
export function typeOfMode(mode: TreeMode): ObjectType {
  if (mode === '040000') return 'tree';
  return mode === '160000' ? 'commit' : 'blob';
}

/** The mode that Git reads from an octal text. Old tools wrote other bits, such as 100664 or 40000. */
export function canonicalMode(octal: string): TreeMode {
  const bits = Number.parseInt(octal, 8);
  const kind = bits & 0o170000;
  if (kind === 0o040000) return '040000';
  if (kind === 0o120000) return '120000';
  if (kind === 0o160000) return '160000';
  return bits & 0o100 ? '100755' : '100644';
}

/** Parses a tree object. @throws GitError `invalid` */
export const parseTree = (data: Buffer): TreeEntry[] =>
  [...entriesOf(data)].map(({ octal, start, end }) => {
    const mode = canonicalMode(octal);
    const bytes = data.subarray(start, end);
    return { mode, type: typeOfMode(mode), name: bytes.toString('utf8'), bytes, oid: oidBehind(data, end) };
  });

/** The entry with this name in a tree object. @throws GitError `invalid` */
export function findInTree(data: Buffer, name: Buffer): { mode: TreeMode; oid: Oid } | undefined {
  for (const { octal, start, end } of entriesOf(data))
    if (end - start === name.length && name.compare(data, start, end) === 0)
      return { mode: canonicalMode(octal), oid: oidBehind(data, end) };
  return undefined;
}

const oidBehind = (data: Buffer, end: number): Oid => data.toString('hex', end + 1, end + 21);

/** The mode of each entry, and the start and end of its name. */
function* entriesOf(data: Buffer): Generator<{ octal: string; start: number; end: number }> {
  let at = 0;
  while (at < data.length) {
    const space = data.indexOf(32, at);
    const nul = data.indexOf(0, space + 1);
    const octal = data.toString('latin1', at, Math.max(space, at));
    if (space < 0 || nul < 0 || nul + 21 > data.length || !/^[0-7]{5,6}$/.test(octal))
      throw new GitError('invalid', 'Not a tree');
    yield { octal, start: space + 1, end: nul };
    at = nul + 21;
  }
}
