// What the kernel holds each git process, and those that it starts, to.
import { GitError } from '../errors.ts';
import type { GitLimits } from '../repo.ts';
import { exceeded } from './exceeded.ts';

/** What a process is started for: a short command, a transfer, or to read objects for as long as they are asked for. */
export type ProcessKind = 'command' | 'transfer' | 'reader';

type Name = keyof GitLimits;
type Bounds = { memory: Name; processorTime?: Name; time?: Name };

const bounds: Record<ProcessKind, Bounds> = {
  command: { memory: 'commandMemory', processorTime: 'commandProcessorTime', time: 'commandTime' },
  transfer: { memory: 'transferMemory', processorTime: 'transferProcessorTime', time: 'transferTime' },
  // It lives as long as it is used. A question that takes too long ends it.
  reader: { memory: 'commandMemory' },
};

/** How long a process may run, and the error of one that runs longer. */
export function timeLimit(limits: GitLimits, kind: ProcessKind, wanted: number | undefined): { time: number; error: GitError } {
  const { time } = bounds[kind];
  if (wanted !== undefined || time === undefined)
    return { time: wanted ?? 0, error: new GitError('timeout', 'Git took too long') };
  return { time: limits[time], error: exceeded(limits, time, { kind: 'timeout', message: 'Git took too long' }) };
}

/**
 * Sets limits, then becomes git. The data segment holds all private writable memory, and not the packs that git maps. A limit that this
 * system doesn't know, or that is stricter already, is passed over. Nothing is put into the text: git gets its arguments as they are.
 */
const script = `{ ulimit -c 0; ulimit -d "$1"; ulimit -v "$2"; ulimit -S -t "$3"; } 2>/dev/null; shift 3; exec git "$@"`;

const kibibytes = (bytes: number): string => (Number.isFinite(bytes) ? String(Math.ceil(bytes / 1024)) : 'unlimited');
const wholeSeconds = (milliseconds: number | undefined): string =>
  milliseconds !== undefined && Number.isFinite(milliseconds) ? String(Math.ceil(milliseconds / 1_000)) : 'unlimited';

/** The program and its arguments that run git with these, within the limits of its kind. */
export function limitedGit(limits: GitLimits, kind: ProcessKind, args: readonly string[]): { file: string; args: string[] } {
  const { memory, processorTime } = bounds[kind];
  const most = limits[memory];
  const time = processorTime && limits[processorTime];
  return {
    file: '/bin/sh',
    args: ['-c', script, 'sh', kibibytes(most), kibibytes(most + limits.mappedFiles), wholeSeconds(time), ...args],
  };
}

const outOfMemory = /^(?:fatal|error): .*(?:out of memory|cannot allocate memory|unable to create thread)/im;
const childOutOfTime = /died of signal (?:24|9)\b/;
const crashes: ReadonlySet<string | null> = new Set(['SIGSEGV', 'SIGBUS']);

/** Whether git says that it, or a process that it started, ran out of memory. */
export const saysOutOfMemory = (text: string): boolean => outOfMemory.test(text);

/** The error of a process that ended because it reached a limit; undefined where it ended otherwise. */
export function limitReached(
  limits: GitLimits,
  kind: ProcessKind,
  { signal, stderr }: { signal: NodeJS.Signals | null; stderr: string },
): GitError | undefined {
  const { memory, processorTime } = bounds[kind];
  const detail = stderr.trim();
  if (saysOutOfMemory(stderr)) return exceeded(limits, memory, { message: 'It takes more memory than Git may use', detail });
  if (processorTime && (signal === 'SIGXCPU' || signal === 'SIGKILL' || childOutOfTime.test(stderr)))
    return exceeded(limits, processorTime, { kind: 'timeout', message: 'It takes more time than Git may use', detail });
  // A stack that is too small for how deep something is nested.
  if (crashes.has(signal)) return exceeded(limits, memory, { message: 'It is too deep or too large for Git', detail });
  return undefined;
}
