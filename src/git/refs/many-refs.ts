import { run } from '../process/run.ts';
import type { Repo } from '../repo.ts';
import type { PushResult } from '../transport/push-report.ts';
import type { PushCommand } from '../transport/receive-request.ts';
import { branchRef } from './ref-name.ts';
import { getDefaultBranch, listRefNames } from './refs.ts';

/** From this number of refs on, pushes are optimized. */
const manyRefs = 64;

/**
 * Whether git can update these refs in one atomic step with the same result as one by one. It can if all refs have the old values
 * that the push names, and no names conflict. One by one, each deletion of a packed ref would rewrite the file of all packed
 * refs.
 */
export async function canUpdateAtomically(repo: Repo, commands: readonly PushCommand[]): Promise<boolean> {
  if (commands.length < manyRefs) return false;
  const present = new Map((await listRefNames(repo, 'refs/')).map(({ name, oid }) => [name, oid]));
  if (commands.some(({ ref, from, to }) => from === to || from !== (present.get(ref) ?? null))) return false;
  const removed = new Set(commands.filter(({ to }) => to === null).map(({ ref }) => ref));
  // git refuses to remove the branch that HEAD names, and that one alone.
  const head = removed.size === 0 ? undefined : await getDefaultBranch(repo);
  if (head && removed.has(branchRef(head.name))) return false;
  return !haveNameConflict([...present.keys(), ...commands.map(({ ref }) => ref)]);
}

/** Whether a name is also the folder of another one (`a` and `a/b`), which Git doesn't allow. */
export function haveNameConflict(names: Iterable<string>): boolean {
  const all = new Set(names);
  for (const name of all)
    for (let slash = name.lastIndexOf('/'); slash > 0; slash = name.lastIndexOf('/', slash - 1))
      if (all.has(name.slice(0, slash))) return true;
  return false;
}

/** Packs the refs after a push of many: one file is read faster than a file for each ref. */
export async function packRefsIfMany(repo: Repo, results: readonly PushResult[]): Promise<void> {
  if (results.filter(({ ok, to }) => ok && to !== null).length < manyRefs) return;
  const options = { timeout: repo.store.limits.transferTime };
  // An error doesn't matter: the push is complete, and the next garbage collection packs the refs too.
  await run(repo, ['pack-refs', '--all'], options).catch(() => undefined);
}
