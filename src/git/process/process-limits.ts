// Kernel limits on git processes and their children.
import { GitError } from '../errors.ts';
import type { GitLimits } from '../repo.ts';
import { exceeded } from './exceeded.ts';

/** A short command, a transfer, or a long-lived object reader. */
export type ProcessKind = 'command' | 'transfer' | 'reader';

type Name = keyof GitLimits;
type Bounds = { memory: Name; processorTime?: Name; time?: Name };

const bounds: Record<ProcessKind, Bounds> = {
  command: { memory: 'commandMemory', processorTime: 'commandProcessorTime', time: 'commandTime' },
  transfer: { memory: 'transferMemory', processorTime: 'transferProcessorTime', time: 'transferTime' },
  // It lives while it is used. A request that takes too long ends it.
  reader: { memory: 'commandMemory' },
};

/** The milliseconds that a process may run, and the error if it runs longer. `override` replaces the time of its kind. */
export function timeLimit(limits: GitLimits, kind: ProcessKind, override: number | undefined): { time: number; error: GitError } {
  const { time } = bounds[kind];
  if (override !== undefined || time === undefined)
    return { time: override ?? 0, error: new GitError('timeout', 'Git took too long') };
  return { time: limits[time], error: exceeded(limits, time, { kind: 'timeout', message: 'Git took too long' }) };
}

/** The programs that run within the limits of git processes. */
export type Program = 'git' | 'gpg';

/**
 * Sets limits, then executes a program. The limit on the data segment covers all private writable memory, but not the packs that
 * git maps. A limit is skipped if the system doesn't support it or already has a stricter one. Arguments are never part of the
 * script's text.
 */
const script = `{ ulimit -c 0; ulimit -d "$1"; ulimit -v "$2"; ulimit -S -t "$3"; } 2>/dev/null; shift 3; exec "$@"`;

const kibibytes = (bytes: number): string => (Number.isFinite(bytes) ? String(Math.ceil(bytes / 1024)) : 'unlimited');
const wholeSeconds = (milliseconds: number | undefined): string =>
  milliseconds !== undefined && Number.isFinite(milliseconds) ? String(Math.ceil(milliseconds / 1_000)) : 'unlimited';

/** The file and arguments that run a program with `args` within the limits of its kind. */
export function limited(
  limits: GitLimits,
  { kind, program, args }: { kind: ProcessKind; program: Program; args: readonly string[] },
): { file: string; args: string[] } {
  const { memory, processorTime } = bounds[kind];
  const memoryLimit = limits[memory];
  const time = processorTime && limits[processorTime];
  return {
    file: '/bin/sh',
    args: [
      ...['-c', script, 'sh', kibibytes(memoryLimit), kibibytes(memoryLimit + limits.mappedFiles), wholeSeconds(time)],
      program,
      ...args,
    ],
  };
}

const outOfMemory = /^(?:fatal|error): .*(?:out of memory|cannot allocate memory|unable to create thread)/im;
const childOutOfTime = /died of signal (?:24|9)\b/;
const crashes: ReadonlySet<string | null> = new Set(['SIGSEGV', 'SIGBUS']);

/** Whether git's messages mean that it or a child process ran out of memory. */
const isOutOfMemory = (text: string): boolean => outOfMemory.test(text);

/** The error of a process that ended because it reached a limit; undefined if it ended for another reason. */
export function limitReached(
  limits: GitLimits,
  kind: ProcessKind,
  { signal, stderr }: { signal: NodeJS.Signals | null; stderr: string },
): GitError | undefined {
  const { memory, processorTime } = bounds[kind];
  const detail = stderr.trim();
  if (isOutOfMemory(stderr)) return exceeded(limits, memory, { message: 'It takes more memory than Git may use', detail });
  if (processorTime && (signal === 'SIGXCPU' || signal === 'SIGKILL' || childOutOfTime.test(stderr)))
    return exceeded(limits, processorTime, { kind: 'timeout', message: 'It takes more time than Git may use', detail });
  // Deep nesting overflows the stack.
  if (crashes.has(signal)) return exceeded(limits, memory, { message: 'It is too deep or too large for Git', detail });
  return undefined;
}
