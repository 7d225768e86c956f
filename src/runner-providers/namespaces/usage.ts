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

/** The memory of processes in bytes, without mapped files. What several share counts once. */
export const memoryOf = (pids: readonly number[]): number => pids.reduce((sum, pid) => sum + memoryOfProcess(pid), 0);

function memoryOfProcess(pid: number): number {
  const shared = sumOf(read(`/proc/${pid}/smaps_rollup`), ['Pss_Anon', 'Pss_Shmem', 'SwapPss']);
  // Processes can hide the first file, but not this one, which counts shared memory for each process.
  return shared ?? sumOf(read(`/proc/${pid}/status`), ['RssAnon', 'RssShmem', 'VmSwap']) ?? 0;
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
export function deletedBytes(pids: readonly number[], device: number): number {
  const found = new Map<number, number>();
  for (const pid of pids)
    for (const name of list(`/proc/${pid}/fd`)) {
      const file = find(`/proc/${pid}/fd/${name}`);
      if (file?.isFile() && file.nlink === 0 && file.dev === device) found.set(file.ino, file.blocks * blockBytes);
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
