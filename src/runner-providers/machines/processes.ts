// The processes of machines: groups of them, and those that work in a folder.
import { readdirSync, readlinkSync } from 'node:fs';
import { hasEnded, isProcessRunning, pidExists, readProcessStatus } from '#lib/running-process.ts';

/** The start time of a process from a file; null if it wasn't known. */
export const startFrom = (value: unknown): number | null => (typeof value === 'number' ? value : null);

/** Whether a process of a group is running. Its leader may have ended. */
export function isGroupRunning(leader: number): boolean {
  if (!pidExists(-leader)) return false;
  const members = processes()
    .flatMap((pid) => readProcessStatus(pid) ?? [])
    .filter(({ group }) => group === leader);
  return members.length === 0 || members.some((status) => !hasEnded(status));
}

/** The pids of all processes; empty without `/proc`. */
export function processes(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

/** Kills all processes of a group. */
export function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    return; // it ended by itself
  }
}

/** The pids of all processes that work in or below a folder; empty without `/proc`. */
export const processesUnder = (folder: string): number[] =>
  processes().filter((pid) => {
    const current = workingFolderOf(pid);
    return (current === folder || current?.startsWith(`${folder}/`)) && isProcessRunning(pid);
  });

/** The working folder of a process. The path of a removed folder ends with " (deleted)". */
function workingFolderOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined; // it has ended, or belongs to another user
  }
}

/** Kills the processes that work in or below a folder, and a process group. Steps of jobs have their own groups. */
export function killUnder(folder: string, leader: number | undefined): void {
  if (leader !== undefined) killGroup(leader);
  for (const pid of processesUnder(folder)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // it ended by itself
    }
  }
}
