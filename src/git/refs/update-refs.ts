import { GitError } from '../errors.ts';
import { checkedOid, type Oid, zeroOid } from '../objects/oid.ts';
import { run } from '../process/run.ts';
import type { GitRepository } from '../repo.ts';
import { checkRefName, misleadingRefProblem } from './ref-name.ts';

/**
 * One update of a ref. `from` is the expected old value (null: it must not exist; undefined: any), and `to` is the new value
 * (null: delete it).
 */
export type RefChange = { ref: string; from?: Oid | null; to: Oid | null };

/** Whether all changes were made. Otherwise none was made, and `ref` is the first one that failed. */
export type RefUpdate =
  | { updated: true }
  | { updated: false; ref: string; reason: 'moved' | 'exists' | 'absent' | 'folder' | 'locked' };

/** Updates refs atomically. If two concurrent callers have the same `from`, exactly one succeeds. */
export async function updateRefs(repo: GitRepository, changes: readonly RefChange[]): Promise<RefUpdate> {
  if (changes.length === 0) return { updated: true };
  const input = changes.map(instruction).join('');
  const { code, stderr } = await run(repo, ['update-ref', '--stdin', '-z'], { input, codes: [0, 1, 128] });
  if (code === 0) return { updated: true };
  return parseFailure(stderr, changes);
}

export type NewRef = { name: string; oid: Oid };

/** Writes the refs of a draft without refs. They are packed and synced together, since syncing each one is slow. */
export async function writeFirstRefs(draft: GitRepository, refs: readonly NewRef[]): Promise<void> {
  if (refs.length === 0) return;
  const input = refs.map(({ name, oid }) => instruction({ ref: name, from: null, to: oid })).join('');
  await run(draft, ['update-ref', '--stdin', '-z'], { input, config: [['core.fsync', 'none']] });
  await run(draft, ['pack-refs', '--all']);
}

/** Like `updateRefs`. @throws GitError `conflict` if a ref couldn't be updated */
export async function mustUpdateRefs(repo: GitRepository, changes: readonly RefChange[]): Promise<void> {
  const result = await updateRefs(repo, changes);
  if (!result.updated) throw new GitError('conflict', `The ref could not be updated (${result.reason})`, result.ref);
}

function instruction({ ref, from, to }: RefChange): string {
  checkRefName(ref);
  const misleading = to === null ? undefined : misleadingRefProblem(ref);
  if (misleading) throw new GitError('invalid', `The ref name ${misleading}`);
  if (to === null && from === null) throw new GitError('invalid', 'A ref that must not exist cannot be deleted');
  const expected = from === undefined ? '' : from === null ? zeroOid : checkedOid(from);
  return to === null ? `delete ${ref}\0${expected}\0` : `update ${ref}\0${checkedOid(to)}\0${expected}\0`;
}

function parseFailure(stderr: string, changes: readonly RefChange[]): RefUpdate {
  const refInError = /cannot (?:lock|update) (?:the )?ref '([^']*)'/.exec(stderr)?.[1];
  const ref = refInError ?? changes[0]?.ref ?? '';
  if (/nonexistent object|non-commit object/.test(stderr))
    throw new GitError('invalid', 'The ref cannot name this object', stderr.trim());
  if (/cannot create '|exists; cannot create|there are still refs under/.test(stderr))
    return { updated: false, ref, reason: 'folder' };
  if (/\.lock': File exists/.test(stderr)) return { updated: false, ref, reason: 'locked' };
  if (/reference already exists/.test(stderr)) return { updated: false, ref, reason: 'exists' };
  if (/unable to resolve reference|reference is missing/.test(stderr)) return { updated: false, ref, reason: 'absent' };
  if (/but expected/.test(stderr)) return { updated: false, ref, reason: 'moved' };
  throw new GitError('failed', 'The ref could not be updated', stderr.trim());
}
