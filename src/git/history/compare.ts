import { cached, kindOf } from '../objects/object-cache.ts';
import { openObjects } from '../objects/objects.ts';
import { checkedOid, type Oid } from '../objects/oid.ts';
import type { Commit } from '../objects/parse-commit.ts';
import { runText } from '../process/run.ts';
import { findMergeBase } from '../refs/resolve.ts';
import type { GitRepository } from '../repo.ts';
import { type Diff, type DiffLimits, diffTrees } from './diff.ts';

/** The relation of `head` to `base`. Without a merge base the histories are unrelated. */
type Comparison = { mergeBase?: Oid; ahead: number; behind: number };

/** Cached comparisons, by `base...head`. */
const comparisons = kindOf<Comparison>('comparison');
/** Cached pages of `listAhead`, by the arguments of `git rev-list`. */
const pagesAhead = kindOf<readonly Oid[]>('ahead');

/** The merge base of two commits, and the number of commits on either side. */
export const compareCommits = (repo: GitRepository, { base, head }: { base: Oid; head: Oid }): Promise<Comparison> =>
  cached(repo, comparisons, `${base}...${head}`, () => readComparison(repo, { base, head }));

async function readComparison(repo: GitRepository, { base, head }: { base: Oid; head: Oid }): Promise<Comparison> {
  const straight = await walkStraight(repo, { base, head });
  if (straight) return { mergeBase: straight.mergeBase, ahead: straight.ahead.length, behind: straight.behind };
  const range = `${checkedOid(base)}...${checkedOid(head)}`;
  const counting = runText(repo, ['rev-list', '--left-right', '--count', range, '--']);
  const [counts, mergeBase] = await Promise.all([counting, findMergeBase(repo, base, head)]);
  const [behind = 0, ahead = 0] = counts.trim().split('\t').map(Number);
  return { ...(mergeBase !== undefined && { mergeBase }), ahead, behind };
}

/** Reading this many commits one after the other takes as long as a git process. */
const maxRead = 40;

/**
 * The merge base of two histories, and the commits of `head` beyond it, newest first, if every commit above that point has one
 * parent. Undefined if git must compute it: there are merges, or too many commits.
 */
async function walkStraight(
  repo: GitRepository,
  { base, head }: { base: Oid; head: Oid },
): Promise<{ mergeBase: Oid; ahead: Oid[]; behind: number } | undefined> {
  await using reader = await openObjects(repo);
  const ours = [head];
  const theirs = [base];
  for (let read = 0; ; ) {
    const meeting = ours.find((oid) => oid === theirs.at(-1)) ?? theirs.find((oid) => oid === ours.at(-1));
    if (meeting !== undefined)
      return { mergeBase: meeting, ahead: ours.slice(0, ours.indexOf(meeting)), behind: theirs.indexOf(meeting) };
    const length = ours.length + theirs.length;
    for (const line of [ours, theirs]) {
      const last = line.at(-1);
      const [parent, ...others] = last === undefined ? [] : (await reader.getCommit(last)).parents;
      if (parent !== undefined && others.length === 0) line.push(parent);
    }
    read += 2;
    if (read > maxRead || ours.length + theirs.length === length) return undefined;
  }
}

/** A page of the commits that `head` has and `base` lacks, oldest first. `ahead` is their number. */
export async function listAhead(
  repo: GitRepository,
  given: { base: Oid; head: Oid; ahead: number; offset?: number; limit: number },
): Promise<Commit[]> {
  const { base, head, ahead, offset = 0, limit } = given;
  const count = Math.min(limit, ahead - offset);
  if (count <= 0) return [];
  // git lists the newest commits first.
  const page = [`--skip=${ahead - offset - count}`, `--max-count=${count}`];
  const args = ['rev-list', '--topo-order', ...page, checkedOid(head), `^${checkedOid(base)}`, '--'];
  const oids = await cached(repo, pagesAhead, args.join(' '), async () => {
    const straight = ahead <= maxRead ? await walkStraight(repo, { base, head }) : undefined;
    if (straight) return straight.ahead.toReversed().slice(offset, offset + count);
    return (await runText(repo, args)).trimEnd().split('\n').reverse();
  });
  await using reader = await openObjects(repo);
  return await reader.getCommits(oids);
}

/** The diff of a commit relative to its first parent, or to the empty tree. */
export async function diffCommit(
  repo: GitRepository,
  commit: Pick<Commit, 'oid' | 'parents'>,
  limits: DiffLimits = {},
): Promise<Diff> {
  return diffTrees(repo, { from: commit.parents[0] ?? null, to: commit.oid, ...limits });
}
