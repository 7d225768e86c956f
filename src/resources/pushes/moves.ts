import type { RefMove } from '#events/catalogue.ts';
import type { PushCommand } from '#git/receive-request.ts';
import { findRef, getDefaultBranch, setDefaultBranch } from '#git/refs.ts';
import type { Repo as Disk } from '#git/repo.ts';
import { isAncestor } from '#git/resolve.ts';

/** The commands of a push as moves, which say whether commits were lost (`forced`). */
export function movesOf(disk: Disk, commands: readonly PushCommand[]): Promise<RefMove[]> {
  const moved = commands.filter(({ from, to }) => from !== to);
  return Promise.all(
    moved.map(async ({ ref, from, to }) => ({ ref, before: from, after: to, forced: await isForced(disk, { ref, from, to }) })),
  );
}

/** A branch is forced when what it named is no longer in its history; a tag isn't meant to move at all. */
async function isForced(disk: Disk, { ref, from, to }: PushCommand): Promise<boolean> {
  if (from === null || to === null) return false;
  return !ref.startsWith('refs/heads/') || !(await isAncestor(disk, from, to));
}

const heads = 'refs/heads/';
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
