import { type ChildProcess, spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import type { Caller } from '#lib/caller.ts';
import { GitError } from '../errors.ts';
import type { GitLimits, GitStore, Repo } from '../repo.ts';
import { gitEnvironment } from './environment.ts';
import { limitedGit, limitReached, type ProcessKind, timeLimit } from './process-limits.ts';

const stderrKept = 16_384;
const killGrace = 3_000;

/** How a git process ended. `cause` is set when it was stopped, reached a limit, or couldn't be started. */
export type Ending = { code: number | undefined; cause?: GitError };

/** A running git process. `ended` always resolves: after all output was given, or once it was stopped. */
export type GitProcess = {
  stdin: Writable;
  stdout: Readable;
  child: ChildProcess;
  limits: GitLimits;
  ended: Promise<Ending>;
  stderr(): string;
  stop(cause: GitError): void;
  /** Restarts the `idle` time of the process, since bytes were transferred. */
  touch(): void;
};

export type StartOptions = {
  /** What limits hold for it; those of a short command unless said otherwise. */
  kind?: ProcessKind;
  config?: readonly (readonly [string, string])[];
  env?: Readonly<Record<string, string>>;
  /** Milliseconds in the place of those of its kind; 0 for none. */
  timeout?: number;
  /** Milliseconds without a `touch` after which the process is ended. */
  idle?: number;
  signal?: AbortSignal | undefined;
  /** Ends the wait for a place, and not what was begun. */
  waitSignal?: AbortSignal | undefined;
  /** Further pipes from file descriptor 3 on. */
  extraPipes?: number;
  onStderr?: (text: string) => void;
};

/** Ends a whole process group: first by SIGTERM, so that git removes its lock files, then by SIGKILL. */
function killGroup(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  const send = (signal: NodeJS.Signals) => {
    try {
      process.kill(-pid, signal);
    } catch {
      // The group has already ended.
    }
  };
  send('SIGTERM');
  const timer = setTimeout(() => send('SIGKILL'), killGrace);
  child.once('exit', () => clearTimeout(timer));
}

function startFailure(error: Error): GitError {
  const missing = 'code' in error && error.code === 'ENOENT';
  return missing
    ? new GitError('not-found', 'The repository is not on disk', String(error))
    : new GitError('failed', 'Git could not be started', String(error));
}

/** How much less of a busy processor git gets that works for strangers, or in the background (nice values, 0 to 19). */
const niceness: Record<Caller['kind'], number> = { signed_in: 0, anonymous: 10, system: 10 };

/** Lets git that works for strangers or in the background wait for a processor before others do. */
function yieldToOthers({ kind }: Caller, { pid }: ChildProcess): void {
  if (pid === undefined || niceness[kind] === 0) return;
  try {
    setPriority(pid, niceness[kind]);
  } catch {
    // It has ended already, or this system allows no such thing.
  }
}

/**
 * Starts git within the limits of its kind, in a process group of its own, with Hearth's configuration only. The shell that sets the
 * limits reads no text but its own.
 */
export function startGit(at: Repo | { store: GitStore }, args: readonly string[], options: StartOptions = {}): GitProcess {
  const repo = 'path' in at ? at : undefined;
  const env = gitEnvironment({ inherited: at.store.env, ...(repo && { repo }), config: options.config ?? [] });
  const extra = Array.from({ length: options.extraPipes ?? 0 }, () => 'pipe' as const);
  const kind = options.kind ?? 'command';
  const limited = limitedGit(at.store.limits, kind, args);
  const child = spawn(limited.file, limited.args, {
    cwd: repo?.path ?? at.store.root,
    env: { ...env, ...options.env },
    stdio: ['pipe', 'pipe', 'pipe', ...extra],
    detached: true,
  });

  yieldToOthers(at.store.caller, child);

  let cause: GitError | undefined;
  let stderr = '';
  let exited = false;
  const { promise, resolve } = Promise.withResolvers<Ending>();
  const stop = (why: GitError) => {
    if (cause) return;
    cause = why;
    // Once it has exited, its number may belong to another process.
    if (exited) resolve({ code: undefined, cause });
    else killGroup(child);
  };
  const idle = options.idle
    ? setTimeout(() => stop(new GitError('timeout', 'The transfer stood still')), options.idle)
    : undefined;
  const onAbort = () => stop(new GitError('aborted', 'The request was given up'));
  const longest = timeLimit(at.store.limits, kind, options.timeout);
  const timer = longest.time > 0 ? setTimeout(() => stop(longest.error), longest.time) : undefined;
  options.signal?.addEventListener('abort', onAbort, { once: true });
  if (options.signal?.aborted) onAbort();

  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-stderrKept);
    options.onStderr?.(text);
  });
  // A process that ends before it has read everything breaks its pipe. Its exit code tells why, so the error of the pipe is ignored.
  child.stdin?.on('error', () => undefined);

  child.once('error', (error) => {
    cause ??= startFailure(error);
    if (child.pid === undefined) resolve({ code: undefined, cause });
  });
  child.once('exit', () => {
    exited = true;
    // A stopped process isn't waited for: nobody may read its remaining output.
    if (cause) resolve({ code: undefined, cause });
  });
  child.once('close', (code, signal) => {
    if (code !== 0) cause ??= limitReached(at.store.limits, kind, { signal, stderr });
    resolve({ code: code ?? undefined, ...(cause && { cause }) });
  });
  const ended = promise.finally(() => {
    clearTimeout(timer);
    clearTimeout(idle);
    options.signal?.removeEventListener('abort', onAbort);
  });

  const { stdin, stdout } = child;
  if (!stdin || !stdout) throw new GitError('failed', 'Git could not be started');
  const touch = () => void (exited || idle?.refresh());
  return { stdin, stdout, child, limits: at.store.limits, ended, stderr: () => stderr, stop, touch };
}
