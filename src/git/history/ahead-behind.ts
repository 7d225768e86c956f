import { GitError, isGitError } from '../errors.ts';
import { cached, kindOf } from '../objects/object-cache.ts';
import { checkedOid, type Oid } from '../objects/oid.ts';
import { readRecords } from '../process/records.ts';
import type { GitRepository } from '../repo.ts';

/** The number of commits that a head has and the base lacks, and the reverse. */
type AheadBehind = { readonly ahead: number; readonly behind: number };

/** A set of 31 histories fits into the bits of a number. */
const mostHeads = 30;

const kept = kindOf<{ readonly counts: readonly (AheadBehind | undefined)[] }>('ahead-behind');

/**
 * How far each of up to thirty commits is from a base, in their order, by one git process. All are undefined if the histories
 * differ in more commits than `git.walkedCommits`, or if git takes too long.
 */
export async function countAheadBehind(
  repo: GitRepository,
  base: Oid,
  heads: readonly Oid[],
): Promise<readonly (AheadBehind | undefined)[]> {
  if (heads.length > mostHeads) throw new GitError('invalid', `Only ${mostHeads} histories are compared together`);
  if (heads.every((head) => head === base)) return heads.map(() => ({ ahead: 0, behind: 0 }));
  const unknown = { counts: heads.map(() => undefined) };
  const { counts } = await cached(repo, kept, [base, ...heads].join(' '), () =>
    walk(repo, base, heads).then(
      (found) => (found ? { counts: found } : unknown),
      (error: unknown) => {
        if (isGitError(error, 'timeout')) return unknown;
        throw error;
      },
    ),
  );
  return counts;
}

/**
 * One walk reads all histories, children before parents. Each commit has the set of those that reach it, which is merged into
 * its parents' sets. Once all do so for every commit that is to be visited, nothing differs below.
 */
async function walk(repo: GitRepository, base: Oid, heads: readonly Oid[]): Promise<AheadBehind[] | undefined> {
  const counts = heads.map(() => ({ ahead: 0, behind: 0 }));
  const all = 2 ** (heads.length + 1) - 1;
  const sets = new Map<Oid, number>();
  let incomplete = 0;
  const add = (oid: Oid, set: number): void => {
    const before = sets.get(oid);
    const after = (before ?? 0) | set;
    sets.set(oid, after);
    incomplete += Number(after !== all) - Number(before !== undefined && before !== all);
  };
  [base, ...heads].forEach((oid, index) => {
    add(checkedOid(oid), 2 ** index);
  });
  const visit = (line: string): void => {
    const oid = line.slice(0, 40);
    const set = sets.get(oid) ?? 0;
    sets.delete(oid);
    if (set !== all) incomplete--;
    for (const [index, count] of counts.entries()) {
      const isOfHead = (set & (2 ** (index + 1))) !== 0;
      if ((set & 1) === 0 && isOfHead) count.ahead++;
      if ((set & 1) === 1 && !isOfHead) count.behind++;
    }
    for (let at = 41; at < line.length; at += 41) add(line.slice(at, at + 40), set);
  };
  const args = ['rev-list', '--topo-order', '--parents', '--stdin'];
  const input = `${[...new Set([base, ...heads])].join('\n')}\n`;
  let visited = 0;
  for await (const lines of readRecords(repo, args, { separator: 10, input })) {
    for (const line of lines) {
      if (incomplete === 0) return counts;
      visit(line.toString('latin1'));
    }
    visited += lines.length;
    if (visited > repo.store.limits.walkedCommits) return undefined;
  }
  return counts;
}
