import { AsyncLocalStorage } from 'node:async_hooks';
import type { Duplex, Readable, Writable } from 'node:stream';
import type { Caller } from '#lib/caller.ts';
import { GitError, storageMessage } from '../errors.ts';
import type { GitLimits, GitRepository, GitStore } from '../repo.ts';
import { gitEnvironment } from './environment.ts';
import { limited, limitReached, type ProcessKind, type Program, timeLimit } from './process-limits.ts';
import { spawnProgram } from './spawn-client.ts';

const maxStderr = 16_384;

/** How a git process ended. `cause` is set if it was stopped, reached a limit, or couldn't be started. */
type Ending = { code: number | undefined; cause?: GitError };

/** A running git process. `ended` always resolves: after all output, or when the process was stopped. */
export type GitProcess = {
  stdin: Writable;
  stdout: Readable;
  /** File descriptor 3 of the process, if requested. */
  channel: Duplex | undefined;
  limits: GitLimits;
  ended: Promise<Ending>;
  stderr(): string;
  stop(cause: GitError): void;
  /** Restarts the `idle` time of the process, because bytes were transferred. */
  touch(): void;
  /** Milliseconds since the last `touch`. */
  idleTime(): number;
  /** The rates of the client that reads the output, and of the client that sends the input. */
  rates: (() => number | undefined)[];
};

export type StartOptions = {
  /** Omitted: git. */
  program?: Program;
  /** The kind, which determines the limits. Omitted: a short command. */
  kind?: ProcessKind;
  config?: readonly (readonly [string, string])[];
  env?: Readonly<Record<string, string>>;
  /** Milliseconds, instead of the kind's time; 0: no limit. */
  timeout?: number;
  /** Milliseconds without a `touch` after which the process ends. */
  idle?: number;
  signal?: AbortSignal | undefined;
  /** Ends the wait for a slot, but not a started process. */
  waitSignal?: AbortSignal | undefined;
  /** A bidirectional pipe as file descriptor 3. */
  channel?: boolean;
  onStderr?: (text: string) => void;
};

/** The error codes for a folder that is missing or can't be entered. */
const folderCodes: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EIO', 'ESTALE', 'ENOTCONN']);

function startFailure(error: Error): GitError {
  const isOfFolder = 'code' in error && folderCodes.has(error.code);
  return isOfFolder
    ? new GitError('unavailable', storageMessage, String(error))
    : new GitError('failed', 'Git could not be started', String(error));
}

/** The nice values (0 to 19) of git processes, by caller. Anonymous callers and background work have a lower priority. */
const nicenessOf: Record<Caller['kind'], number> = { signed_in: 0, anonymous: 10, system: 10 };

const counting = new AsyncLocalStorage<{ started: string[] }>();

/**
 * Runs `work` and returns the subcommands of the git processes that it started, and the names of other programs. Tests check the
 * number for each endpoint. Readers that were already open aren't counted.
 */
export async function countGitProcesses<T>(work: () => Promise<T>): Promise<{ result: T; started: string[] }> {
  const counter = { started: [] as string[] };
  // It is awaited inside, since some work begins only when it is awaited (such as a request with `inject`), and wouldn't be
  // counted.
  const result = await counting.run(counter, async () => await work());
  return { result, started: counter.started };
}

/**
 * Starts git or another program within the limits of its kind, in a separate process group, and with Hearth's configuration only.
 */
export function startGit(
  target: GitRepository | { store: GitStore },
  args: readonly string[],
  options: StartOptions = {},
): GitProcess {
  const repo = 'path' in target ? target : undefined;
  const env = gitEnvironment({ inherited: target.store.env, ...(repo && { repo }), config: options.config ?? [] });
  const kind = options.kind ?? 'command';
  const { program = 'git' } = options;
  counting.getStore()?.started.push(program === 'git' ? (args[0] ?? '') : program);
  const command = limited(target.store.limits, { kind, program, args });
  const spawned = spawnProgram({
    ...command,
    cwd: repo?.path ?? target.store.root,
    env: { ...env, ...options.env },
    niceness: nicenessOf[target.store.caller.kind],
    channel: options.channel ?? false,
  });
  const { stdin, stdout, channel } = spawned;

  let cause: GitError | undefined;
  let stderr = '';
  let exited = false;
  const { promise, resolve } = Promise.withResolvers<Ending>();
  const stop = (error: GitError) => {
    if (cause) return;
    cause = error;
    // After its exit, another process may have its pid.
    if (exited) resolve({ code: undefined, cause });
    else spawned.stop();
  };
  const idle = options.idle
    ? setTimeout(() => stop(new GitError('timeout', 'The transfer stood still')), options.idle)
    : undefined;
  const onAbort = () => stop(new GitError('aborted', 'The request was given up'));
  const timeout = timeLimit(target.store.limits, kind, options.timeout);
  const timer = timeout.time > 0 ? setTimeout(() => stop(timeout.error), timeout.time) : undefined;
  // All users of a repository share its reader.
  const storeSignal = kind === 'reader' ? undefined : target.store.signal;
  const signals = [options.signal, storeSignal].filter((signal) => signal !== undefined);
  for (const signal of signals) signal.addEventListener('abort', onAbort, { once: true });
  if (signals.some(({ aborted }) => aborted)) onAbort();

  spawned.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-maxStderr);
    options.onStderr?.(text);
  });
  // A process may end before it has read all input (EPIPE). Its exit code shows the reason, so this error is ignored.
  stdin.on('error', () => undefined);

  void spawned.exited.then(({ error }) => {
    exited = true;
    if (error) cause ??= startFailure(error);
    // The output of a stopped process isn't awaited, since it may never be read to its end.
    if (cause) resolve({ code: undefined, cause });
  });
  void spawned.closed.then(({ code, signal }) => {
    if (code !== 0) cause ??= limitReached(target.store.limits, kind, { signal, stderr });
    resolve({ code: code ?? undefined, ...(cause && { cause }) });
  });
  const ended = promise.finally(() => {
    clearTimeout(timer);
    clearTimeout(idle);
    for (const signal of signals) signal.removeEventListener('abort', onAbort);
  });

  let touchedAt = performance.now();
  const touch = () => {
    touchedAt = performance.now();
    if (!exited) idle?.refresh();
  };
  const idleTime = () => performance.now() - touchedAt;
  return { stdin, stdout, channel, limits: target.store.limits, ended, stderr: () => stderr, stop, touch, idleTime, rates: [] };
}
