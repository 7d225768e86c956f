import type { Db } from '#database/connect.ts';
import { areAncestors } from '#git/history/ancestors.ts';
import { listCommitsWithout } from '#git/history/new-commits.ts';
import type { Commit } from '#git/objects/parse-commit.ts';
import { findRef, hasBranches } from '#git/refs/refs.ts';
import type { Repo as Disk } from '#git/repo.ts';
import { kindOfMove, type RuleCheck, type RuledMove } from './evaluator.ts';

/** Thrown where a ref gets more commits than rules can look at. */
export class TooManyCommits extends Error {}

type Given = Pick<RuleCheck, 'repo' | 'actor' | 'merge' | 'syncsUpstream'> & { db: Db; disk: Disk; moves: readonly RuledMove[] };

/** What evaluators may ask about some moves. */
export function openCheck({ moves, ...given }: Given): RuleCheck {
  const { disk, repo } = given;
  const { ruledCommits } = disk.store.limits;
  const commits = new Map<string, Promise<readonly Commit[]>>();
  const defaultTip = once(() => findRef(disk, `refs/heads/${repo.default_branch}`));
  const fastForwards = once(() => listFastForwards(disk, moves));
  const read = async ({ ref, before, after }: RuledMove): Promise<readonly Commit[]> => {
    if (after === null) return [];
    // A new branch gets what the default branch hasn't.
    const without = before ?? (ref === `refs/heads/${repo.default_branch}` ? null : ((await defaultTip())?.oid ?? null));
    const found = await listCommitsWithout(disk, { to: after, without, limit: ruledCommits + 1 });
    if (found.length > ruledCommits) throw new TooManyCommits();
    return found;
  };
  return {
    ...given,
    newCommits(move) {
      const key = `${move.before} ${move.after}`;
      const known = commits.get(key) ?? read(move);
      commits.set(key, known);
      return known;
    },
    isFastForward: async (move) => (await fastForwards()).has(move.ref),
    isEmpty: once(async () => !(await hasBranches(disk))),
  };
}

async function listFastForwards(disk: Disk, moves: readonly RuledMove[]): Promise<ReadonlySet<string>> {
  const pairs = moves.flatMap(({ ref, before, after }) =>
    before === null || after === null ? [] : [{ ref, ancestor: before, descendant: after }],
  );
  const are = await areAncestors(disk, pairs);
  return new Set([
    ...moves.filter((move) => kindOfMove(move) !== 'update').map(({ ref }) => ref),
    ...pairs.filter((_, at) => are[at]).map(({ ref }) => ref),
  ]);
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let known: Promise<T> | undefined;
  return () => {
    known ??= work();
    return known;
  };
}
