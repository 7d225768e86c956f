import type { RefMove } from '#events/ref-moves.ts';
import { areAncestors } from '#git/history/ancestors.ts';
import { findRef, getDefaultBranch, setDefaultBranch } from '#git/refs/refs.ts';
import type { Repo as Disk } from '#git/repo.ts';
import type { PushCommand } from '#git/transport/receive-request.ts';
import { gather } from '#lib/collections.ts';

const heads = 'refs/heads/';

/**
 * The commands of a push as moves, which say whether commits were lost (`forced`): a branch is forced when what it named is no longer
 * in its history; a tag isn't meant to move at all.
 */
export async function movesOf(disk: Disk, commands: readonly PushCommand[]): Promise<RefMove[]> {
  const moves = commands.flatMap(({ ref, from, to }): RefMove[] =>
    from === to ? [] : [{ ref, before: from, after: to, forced: from !== null && to !== null }],
  );
  const ahead = moves.flatMap((move) => {
    const { ref, before, after } = move;
    if (!ref.startsWith(heads) || before === null || after === null) return [];
    return [{ move, pair: { ancestor: before, descendant: after } }];
  });
  const kept = await areAncestors(disk, gather(ahead, 'pair'));
  const losesNothing = new Set(ahead.filter((_, index) => kept[index]).map(({ move }) => move));
  return moves.map((move) => (losesNothing.has(move) ? { ...move, forced: false } : move));
}

const usual = ['main', 'master'];

/**
 * Makes the branch that is pushed first to an empty repository its default branch, unless that is among the pushed ones. Points
 * HEAD there and returns the name. Doing so again changes nothing.
 */
export async function adoptFirstBranch(
  disk: Disk,
  moves: readonly RefMove[],
  defaultBranch: string,
): Promise<string | undefined> {
  const made = moves.filter(({ ref, before, after }) => ref.startsWith(heads) && before === null && after !== null);
  const names = made.map(({ ref }) => ref.slice(heads.length)).sort();
  const first = usual.find((name) => names.includes(name)) ?? names[0];
  if (first === undefined || names.includes(defaultBranch)) return undefined;
  if (await findRef(disk, heads + defaultBranch)) return undefined;
  const present = await getDefaultBranch(disk);
  // HEAD leads to a branch already: it was moved before a crash that kept this from being recorded.
  if (present?.oid !== undefined) return present.name;
  await setDefaultBranch(disk, first);
  return first;
}
