// Checks by id whether processes of this machine run. Ids are reused, so a process is identified by its id and its start time.
import { readFileSync } from 'node:fs';

/**
 * Whether an id is in use: by a running process, even of another account, or by an ended process that its parent hasn't reaped. A
 * negative number is the id of a process group.
 */
export function pidExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists, and this one may not send it a signal.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/**
 * Whether a process is running.
 * @param start the process's result of `startOfProcess`. Another process with the same id doesn't count. Without it, any process
 * with the id counts
 */
export function isProcessRunning(pid: number, start?: number | null): boolean {
  if (!pidExists(pid)) return false;
  const status = readProcessStatus(pid);
  // Without /proc, or if it hides processes of other accounts, the id decides.
  if (!status) return pidExists(pid);
  return !hasEnded(status) && (typeof start !== 'number' || status.start === start);
}

/** The start time of a process, in ticks since the machine started; null if it doesn't exist, or without /proc. */
export const startOfProcess = (pid: number): number | null => readProcessStatus(pid)?.start ?? null;

type ProcessStatus = { name: string; state: string; parent: number; group: number; start: number };

/** The status of a process from /proc; undefined if it doesn't exist, or without /proc. */
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

/** Whether a process has ended but its parent hasn't reaped it, as in a container without an init process. */
export const hasEnded = ({ state }: ProcessStatus): boolean => /^[ZX]$/.test(state);
