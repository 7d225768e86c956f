// Whether processes of this machine run, by their ids. An id is used again, so a process is known by its id and its start.
import { readFileSync } from 'node:fs';

/**
 * Whether an id is taken: by a running process, also of another account, or by one that ended and wasn't reaped by its parent.
 * A negative number is the id of a process group.
 */
export function pidExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it exists, and this process may not send it a signal.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/**
 * Whether a process is running.
 * @param start what `startOfProcess` gave for it: another process with its id doesn't count. Without it, any process with the id does.
 */
export function isProcessRunning(pid: number, start?: number | null): boolean {
  if (!pidExists(pid)) return false;
  const status = readProcessStatus(pid);
  // Without /proc, or where it hides processes of other accounts, the id decides.
  if (!status) return pidExists(pid);
  return !hasEnded(status) && (typeof start !== 'number' || status.start === start);
}

/** When a process began, in ticks since the machine did; null where it doesn't exist, or without /proc. */
export const startOfProcess = (pid: number): number | null => readProcessStatus(pid)?.start ?? null;

type ProcessStatus = { name: string; state: string; parent: number; group: number; start: number };

/** The status of a process from /proc; undefined where it doesn't exist, or without /proc. */
export function readProcessStatus(pid: number): ProcessStatus | undefined {
  try {
    // The name is in parentheses and may contain any character (man 5 proc).
    const [, name = '', rest = ''] = /^\d+ \((.*)\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'latin1')) ?? [];
    const fields = rest.split(' ');
    const [state = '', parent, group] = fields;
    return { name, state, parent: Number(parent), group: Number(group), start: Number(fields[19]) };
  } catch {
    return undefined;
  }
}

/** Whether a process has ended but wasn't reaped by its parent, as in a container without an init process. */
export const hasEnded = ({ state }: ProcessStatus): boolean => /^[ZX]$/.test(state);
