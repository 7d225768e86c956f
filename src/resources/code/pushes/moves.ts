import type { RefMove } from '#events/ref-moves.ts';
import { areAncestors } from '#git/history/ancestors.ts';
import { branchOf, branchRef, shortNameOf } from '#git/refs/ref-name.ts';
import { findRef, getDefaultBranch, setDefaultBranch } from '#git/refs/refs.ts';
import type { GitRepository } from '#git/repo.ts';
import type { PushCommand } from '#git/transport/receive-request.ts';
import { gather } from '#lib/collections.ts';

/**
 * The commands of a push as moves, which say whether commits were lost (`forced`): a branch is forced if its former commit is no
 * longer in its history; a tag is forced whenever it moves.
 */
export async function movesOf(gitRepository: GitRepository, commands: readonly PushCommand[]): Promise<RefMove[]> {
  const moves = commands.flatMap(({ ref, from, to }): RefMove[] =>
    from === to ? [] : [{ ref, before: from, after: to, forced: from !== null && to !== null }],
  );
  const branchMoves = moves.flatMap((move) => {
    const { ref, before, after } = move;
    if (branchOf(ref) === undefined || before === null || after === null) return [];
    return [{ move, pair: { ancestor: before, descendant: after } }];
  });
  const areFastForwards = await areAncestors(gitRepository, gather(branchMoves, 'pair'));
  const fastForwards = new Set(branchMoves.filter((_, index) => areFastForwards[index]).map(({ move }) => move));
  return moves.map((move) => (fastForwards.has(move) ? { ...move, forced: false } : move));
}

const preferredNames = ['main', 'master'];

/**
 * Makes the first branch that is pushed to an empty repository its default branch, unless the default branch is among the pushed
 * ones. Points HEAD to it and returns its name. Repeating it has no effect.
 */
export async function adoptFirstBranch(
  gitRepository: GitRepository,
  moves: readonly RefMove[],
  defaultBranch: string,
): Promise<string | undefined> {
  const created = moves.filter(({ ref, before, after }) => branchOf(ref) !== undefined && before === null && after !== null);
  const names = created.map(({ ref }) => shortNameOf(ref)).sort();
  const first = preferredNames.find((name) => names.includes(name)) ?? names[0];
  if (first === undefined || names.includes(defaultBranch)) return undefined;
  if (await findRef(gitRepository, branchRef(defaultBranch))) return undefined;
  const current = await getDefaultBranch(gitRepository);
  // HEAD points to an existing branch: it was moved before a crash that prevented the recording.
  if (current?.oid !== undefined) return current.name;
  await setDefaultBranch(gitRepository, first);
  return first;
}
