import { run } from '../process/run.ts';
import type { Repo } from '../repo.ts';
import type { PushResult } from '../transport/push-report.ts';
import type { PushCommand } from '../transport/receive-request.ts';
import { getDefaultBranch, listRefNames } from './refs.ts';

/** From so many refs on, a push is worth more care. */
const many = 64;

/**
 * Whether git can move these refs in one step, as an atomic push, with the same result as one after the other. Removing many packed
 * refs one after the other writes the file of all refs anew for each. It is the same if every ref is what the push believes, and
 * none stands in the way of another one.
 */
export async function canMoveTogether(repo: Repo, commands: readonly PushCommand[]): Promise<boolean> {
  if (commands.length < many) return false;
  const present = new Map((await listRefNames(repo, 'refs/')).map(({ name, oid }) => [name, oid]));
  if (commands.some(({ ref, from, to }) => from === to || from !== (present.get(ref) ?? null))) return false;
  const removed = new Set(commands.filter(({ to }) => to === null).map(({ ref }) => ref));
  // git refuses to remove the branch that HEAD names, and that one alone.
  const head = removed.size === 0 ? undefined : await getDefaultBranch(repo);
  if (head && removed.has(`refs/heads/${head.name}`)) return false;
  return !standInEachOthersWay([...present.keys(), ...commands.map(({ ref }) => ref)]);
}

/** Whether a ref has the name of a folder in which another one lies. */
export function standInEachOthersWay(names: Iterable<string>): boolean {
  const all = new Set(names);
  for (const name of all)
    for (let slash = name.lastIndexOf('/'); slash > 0; slash = name.lastIndexOf('/', slash - 1))
      if (all.has(name.slice(0, slash))) return true;
  return false;
}

/** After many refs have moved: one file for all of them is read faster than a file and folders for each. */
export async function packMany(repo: Repo, results: readonly PushResult[]): Promise<void> {
  if (results.filter(({ ok, to }) => ok && to !== null).length < many) return;
  const options = { timeout: repo.store.limits.transferTime };
  // The refs have moved whether or not this works. The next garbage collection packs them too.
  await run(repo, ['pack-refs', '--all'], options).catch(() => undefined);
}
