import { open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { chunks } from '#lib/collections.ts';
import { run } from '../process/run.ts';
import type { GitRepository } from '../repo.ts';
import type { PushCommand } from '../transport/receive-request.ts';
import { branchRef } from './ref-name.ts';
import { getDefaultBranch, listRefNames } from './refs.ts';
import { mustUpdateRefs } from './update-refs.ts';

/** Pushes with at least this number of refs are optimized. */
const manyRefs = 64;

const areMany = (commands: readonly PushCommand[]): boolean => commands.length >= manyRefs;

/**
 * Whether git can update these refs in one atomic step with the same result as one by one. It can if all refs have the old values
 * in the push, and no names conflict. One by one, each deletion of a packed ref would rewrite the file of all packed refs.
 */
export async function canUpdateAtomically(repo: GitRepository, commands: readonly PushCommand[]): Promise<boolean> {
  if (!areMany(commands)) return false;
  const present = new Map((await listRefNames(repo, 'refs/')).map(({ name, oid }) => [name, oid]));
  if (commands.some(({ ref, from, to }) => from === to || from !== (present.get(ref) ?? null))) return false;
  const removed = new Set(commands.filter(({ to }) => to === null).map(({ ref }) => ref));
  // git refuses to remove only one branch, the one that HEAD names.
  const head = removed.size === 0 ? undefined : await getDefaultBranch(repo);
  if (head && removed.has(branchRef(head.name))) return false;
  return !haveNameConflict([...present.keys(), ...commands.map(({ ref }) => ref)]);
}

/** Whether a name is also the folder of another name (`a` and `a/b`), which Git doesn't allow. */
function haveNameConflict(names: Iterable<string>): boolean {
  const all = new Set(names);
  for (const name of all)
    for (let slash = name.lastIndexOf('/'); slash > 0; slash = name.lastIndexOf('/', slash - 1))
      if (all.has(name.slice(0, slash))) return true;
  return false;
}

/**
 * Whether refs are synced together. Syncing thousands separately takes minutes on a busy disk. Deletions rewrite the file of all
 * packed refs, which is always synced.
 */
export const areSyncedTogether = (commands: readonly PushCommand[]): boolean =>
  areMany(commands) && commands.every(({ to }) => to !== null);

/** Configures git to leave the sync to `persistRefs`. */
export const withoutRefSync = ['core.fsync', 'all,-reference'] as const;

/**
 * Makes refs durable that git has moved in a push without a sync. It packs them into one file, which is synced, and is read
 * faster than a file for each ref. A power failure before that can leave empty files, which `repairRefs` replaces.
 */
export async function persistRefs(repo: GitRepository, commands: readonly PushCommand[]): Promise<void> {
  try {
    await run(repo, ['pack-refs', '--all'], { timeout: repo.store.limits.transferTime });
  } catch {
    await syncFile(join(repo.path, 'packed-refs'));
    for (const some of chunks(commands, maxOpenFiles)) await Promise.all(some.map(({ ref }) => syncFile(join(repo.path, ref))));
  }
}

/** The maximum number of files that are open at the same time. */
const maxOpenFiles = 64;

async function syncFile(path: string): Promise<void> {
  const file = await open(path).catch(ignoreAbsent);
  if (!file) return;
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

const ignoreAbsent = (error: NodeJS.ErrnoException): undefined => {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
};

/**
 * Restores refs of an unfinished push of many refs to their former values if a power failure left files without a value. Git
 * writes such a file under another name first, so a push in progress has none.
 */
export async function repairRefs(repo: GitRepository, commands: readonly PushCommand[]): Promise<void> {
  if (!areMany(commands)) return;
  const broken: PushCommand[] = [];
  for (const some of chunks(commands, maxOpenFiles))
    await Promise.all(
      some.map(async (command) => {
        const text = await readFile(join(repo.path, command.ref), 'utf8').catch(ignoreUnreadable);
        if (text !== undefined && !refFile.test(text)) broken.push(command);
      }),
    );
  for (const { ref } of broken) await rm(join(repo.path, ref), { force: true });
  const former = broken.flatMap(({ ref, from }) => (from === null ? [] : { ref, to: from }));
  if (former.length > 0) await mustUpdateRefs(repo, former);
}

/** The content of a ref file: the name of an object, or of another ref. */
const refFile = /^(?:[0-9a-f]{40}|ref: .+)\s*$/;

const ignoreUnreadable = (error: NodeJS.ErrnoException): undefined => {
  if (error.code !== 'EISDIR') ignoreAbsent(error);
};
