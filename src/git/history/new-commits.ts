import type { ObjectReader } from '../objects/objects.ts';
import type { Oid } from '../objects/oid.ts';
import type { Commit } from '../objects/parse-commit.ts';
import type { GitRepository } from '../repo.ts';
import { listNewCommits } from './history.ts';

/** The number of commits to follow from parent to parent before using git, which takes a process. */
const maxFollowed = 40;

/**
 * The commits reachable from `to` and not from `without` (null: all), at most `limit`, oldest first. A few commits on top of
 * `without` are read without a separate git process.
 */
export const listCommitsWithout = async (
  { repo, reader }: { repo: GitRepository; reader: ObjectReader },
  { to, without, limit }: { to: Oid; without: Oid | null; limit: number },
): Promise<Commit[]> => (await followed(reader, to, without)) ?? listNewCommits(repo, { from: without, to, limit });

/** The commits from one back to another, if each has one parent; undefined otherwise, or if there are too many. */
async function followed(reader: ObjectReader, to: Oid, until: Oid | null): Promise<Commit[] | undefined> {
  const found: Commit[] = [];
  for (let next = to; next !== until; ) {
    const commit = found.length < maxFollowed ? (await reader.findCommits([next])).get(next) : undefined;
    const [parent, ...others] = commit?.parents ?? [];
    if (!commit || others.length > 0 || (parent === undefined && until !== null)) return undefined;
    found.unshift(commit);
    if (parent === undefined) return found;
    next = parent;
  }
  return found;
}
