import { fixedValue } from '#lib/limits.ts';
import { gitLimits } from '../limits.ts';
import { openObjects } from '../objects/objects.ts';
import { isOid, type Oid } from '../objects/oid.ts';
import type { GitRepository } from '../repo.ts';
import { branchRef, heads, refNameProblem } from './ref-name.ts';
import { findRevision } from './resolve.ts';

/** A commit by the ref at the beginning of a text, and the path after it. */
export type SplitRef = {
  /** The ref as it was written. */
  name: string;
  kind: 'branch' | 'tag' | 'commit';
  commit: Oid;
  path: string;
};

const maxParts = fixedValue(gitLimits.refNameParts);
const tags = 'refs/tags/';

/**
 * Splits `ref/path`. Both may have slashes, so the ref is the longest beginning that names a branch or a tag. Of a branch and a
 * tag with the same name, it is the branch. Otherwise the first part is a commit. Undefined if there is none.
 */
export async function splitRef(repo: GitRepository, text: string): Promise<SplitRef | undefined> {
  const parts = text.split('/');
  const candidates: Candidate[] = [];
  for (let length = Math.min(parts.length, maxParts); length > 0; length--) candidates.push(...namesOf(parts, length));
  await using reader = await openObjects(repo);
  const found = await Promise.all(candidates.map(({ ref }) => reader.findInfo(ref, { peel: 'commit' })));
  const first = candidates.findIndex((_, at) => found[at]?.type === 'commit');
  const candidate = candidates[first];
  const commit = found[first]?.oid;
  if (candidate && commit !== undefined) {
    const { name, kind, length } = candidate;
    return { name, kind, commit, path: parts.slice(length).join('/') };
  }
  const [name = '', ...rest] = parts;
  const revision = await findRevision(repo, name, { peel: 'commit' });
  return revision?.type === 'commit' ? { name, kind: 'commit', commit: revision.oid, path: rest.join('/') } : undefined;
}

type Candidate = { name: string; ref: string; kind: 'branch' | 'tag'; length: number };

/** The refs that the first parts may name. */
function namesOf(parts: readonly string[], length: number): Candidate[] {
  const name = parts.slice(0, length).join('/');
  if (isOid(name)) return [];
  const refs = name.startsWith('refs/') ? [name] : [branchRef(name), `${tags}${name}`];
  return refs
    .filter((ref) => (ref.startsWith(heads) || ref.startsWith(tags)) && !refNameProblem(ref))
    .map((ref) => ({ name, ref, kind: ref.startsWith(heads) ? 'branch' : 'tag', length }));
}
