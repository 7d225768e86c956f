// What the processes of a sandbox use.
import { readdirSync, readFileSync, type Stats, statSync } from 'node:fs';
import { readProcessStatus } from '#lib/running-process.ts';
import { processes } from '#runner-providers/machines/processes.ts';

const kibibyte = 1_024;
const blockBytes = 512;

/** A process with all of its descendants. None leaves a sandbox, whose first process adopts orphans. */
export function withDescendants(root: number): number[] {
  const children = Map.groupBy(
    processes().flatMap((pid) => {
      const parent = readProcessStatus(pid)?.parent;
      return parent === undefined ? [] : [{ pid, parent }];
    }),
    ({ parent }) => parent,
  );
  const found = [root];
  for (const pid of found) found.push(...(children.get(pid) ?? []).map((child) => child.pid));
  return found;
}

/**
 * The memory of processes in bytes, without mapped files. What several share counts once. Deleted files outside of the disk with
 * the number `device` are memory, too (`memfd_create`): if they are mapped, they are part of the shared memory.
 */
export function memoryOf(pids: readonly number[], device: number): number {
  const sums = pids.map(memoryOfProcess);
  const own = sums.reduce((sum, one) => sum + one.own, 0);
  const shared = sums.reduce((sum, one) => sum + one.shared, 0);
  return (
    own +
    Math.max(
      shared,
      deletedFiles(pids, (dev) => dev !== device),
    )
  );
}

function memoryOfProcess(pid: number): { readonly own: number; readonly shared: number } {
  const rollup = read(`/proc/${pid}/smaps_rollup`);
  const own = sumOf(rollup, ['Pss_Anon', 'SwapPss']);
  // Processes can hide the first file, but not this one, which counts shared memory for each process.
  if (own !== undefined) return { own, shared: sumOf(rollup, ['Pss_Shmem']) ?? 0 };
  const status = read(`/proc/${pid}/status`);
  return { own: sumOf(status, ['RssAnon', 'VmSwap']) ?? 0, shared: sumOf(status, ['RssShmem']) ?? 0 };
}

/** The sum of lines such as `VmSwap:  12 kB`, in bytes; undefined if there is none. */
function sumOf(text: string, names: readonly string[]): number | undefined {
  const found = text.split('\n').flatMap((line) => {
    const [name = '', value = ''] = line.split(':');
    return names.includes(name) ? [Number.parseInt(value, 10) * kibibyte] : [];
  });
  return found.length === 0 ? undefined : found.reduce((sum, bytes) => sum + bytes, 0);
}

/** The bytes of files on a device that processes have open, though they were deleted: no folder has them. */
export const deletedBytes = (pids: readonly number[], device: number): number => deletedFiles(pids, (dev) => dev === device);

function deletedFiles(pids: readonly number[], isCounted: (device: number) => boolean): number {
  const found = new Map<string, number>();
  for (const pid of pids)
    for (const name of list(`/proc/${pid}/fd`)) {
      const file = find(`/proc/${pid}/fd/${name}`);
      if (file?.isFile() && file.nlink === 0 && isCounted(file.dev))
        found.set(`${file.dev} ${file.ino}`, file.blocks * blockBytes);
    }
  return [...found.values()].reduce((sum, bytes) => sum + bytes, 0);
}

function find(file: string): Stats | undefined {
  try {
    return statSync(file);
  } catch {
    return undefined; // it was closed
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // it has ended, or hides it
  }
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // it has ended, or hides it
  }
}
