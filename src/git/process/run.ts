import type { Readable, Writable } from 'node:stream';
import type { EndableWork } from '#lib/concurrency-limiter.ts';
import { isStorageText } from '#lib/folder-marker.ts';
import { GitError, isGitError, storageMessage } from '../errors.ts';
import type { GitLimits, GitRepository, GitStore } from '../repo.ts';
import { exceeded } from './exceeded.ts';
import { type GitProcess, type StartOptions, startGit } from './process.ts';

/** The result of a finished command. `truncated`: it was stopped at `maxOutput`. */
type Output = { stdout: Buffer; stderr: string; code: number; truncated: boolean };

export type RunOptions = StartOptions & {
  input?: string | Uint8Array | Readable;
  maxOutput?: number;
  /** At `maxOutput`, return the output so far instead of failing. */
  truncate?: boolean;
  /** Exit codes that aren't failures. Omitted: 0 only. */
  codes?: readonly number[];
};

/** Writes git's input. Git may end before it has read all of it. Only an error of the input itself is a failure. */
async function writeInput({ stdin, stop }: GitProcess, input: RunOptions['input']): Promise<void> {
  if (input === undefined || typeof input === 'string' || input instanceof Uint8Array) {
    stdin.end(input);
    return;
  }
  let isOpen = true;
  stdin.once('close', () => {
    isOpen = false;
    input.destroy();
  });
  try {
    for await (const chunk of input) if (!stdin.write(chunk) && isOpen) await drained(stdin);
    stdin.end();
  } catch (error) {
    if (isOpen) stop(new GitError('aborted', 'The input broke off', String(error)));
  }
}

/** Waits until a stream accepts more data, or is closed. */
function drained(stream: Writable): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  stream.once('drain', resolve).once('close', resolve);
  return promise.finally(() => stream.off('drain', resolve).off('close', resolve));
}

/** Runs a short git command and returns its output. @throws GitError for an unexpected exit code or an exceeded limit */
export async function run(
  target: GitRepository | { store: GitStore },
  args: readonly string[],
  options: RunOptions = {},
): Promise<Output> {
  const { limits, commands, caller } = target.store;
  const release = await commands.acquire(caller, { signal: options.signal });
  try {
    const git = startGit(target, args, options);
    const maxOutput = options.maxOutput ?? limits.output;
    const chunks: Buffer[] = [];
    let size = 0;
    let truncated = false;
    git.stdout.on('data', (chunk: Buffer) => {
      if (truncated) return;
      size += chunk.length;
      chunks.push(chunk);
      if (size <= maxOutput) return;
      truncated = true;
      git.stop(exceeded(limits, 'output', { message: 'The answer of Git is too large' }));
    });
    // It isn't awaited, since git may end before its input does. An error of the input stops git.
    void writeInput(git, options.input);
    const { code, cause } = await git.ended;
    const stdout = Buffer.concat(chunks);
    if (truncated && options.truncate) return { stdout: stdout.subarray(0, maxOutput), stderr: git.stderr(), code: 0, truncated };
    if (cause) throw cause;
    if (code === undefined || !(options.codes ?? [0]).includes(code)) throw failure(args, git.stderr());
    return { stdout, stderr: git.stderr(), code, truncated };
  } finally {
    release();
  }
}

/** Starts a short git command whose output is read while it runs. It holds one of the caller's command slots until it ends. */
export async function startCommand(
  target: GitRepository | { store: GitStore },
  args: readonly string[],
  { input, ...options }: StartOptions & { input?: string } = {},
): Promise<GitProcess> {
  const { commands, caller } = target.store;
  const release = await commands.acquire(caller, { signal: options.signal });
  try {
    const git = startGit(target, args, options);
    void git.ended.then(release);
    git.stdin.end(input);
    return git;
  } catch (error) {
    release();
    throw error;
  }
}

/** The error of a command that failed. */
export const failure = (args: readonly string[], stderr: string): GitError =>
  isStorageText(stderr)
    ? new GitError('unavailable', storageMessage, stderr.trim())
    : new GitError('failed', `git ${args[0] ?? ''} failed`, stderr.trim());

/** Like `run`, for text output. */
export async function runText(
  target: GitRepository | { store: GitStore },
  args: readonly string[],
  options: RunOptions = {},
): Promise<string> {
  const { stdout } = await run(target, args, options);
  return stdout.toString('utf8');
}

/** The lowest known rate. */
function slowestRate(rates: GitProcess['rates']): number | undefined {
  const known = rates.map((rate) => rate()).filter((rate) => rate !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

const tooSlowForOthers = (limits: GitLimits): GitError =>
  exceeded(limits, 'transferContendedRate', {
    kind: 'timeout',
    message: 'The transfer is too slow while others wait for their turn',
  });

/** Periodically decides whether a transfer may continue. The transfer ends with the `GitError` that `check` throws. */
export type Recheck = { readonly every: number; readonly check: () => Promise<void> };

function keepChecking(git: GitProcess, { every, check }: Recheck): void {
  const step = () => {
    check().then(again, (error: unknown) => (isGitError(error) ? git.stop(error) : again()));
  };
  let isOver = false;
  let timer = setTimeout(step, every);
  const again = () => {
    if (!isOver) timer = setTimeout(step, every);
  };
  void git.ended.then(() => {
    isOver = true;
    clearTimeout(timer);
  });
}

/**
 * Starts a transfer. It holds one of the caller's transfer slots until it ends. If other callers wait for a slot, a transfer that
 * waits for a slow client is ended.
 */
export async function startTransfer(
  target: GitRepository | { store: GitStore },
  args: readonly string[],
  { recheck, ...options }: StartOptions & { recheck?: Recheck | undefined } = {},
): Promise<GitProcess> {
  const { transfers, caller } = target.store;
  let git: GitProcess | undefined;
  const work: EndableWork = {
    rate: () => slowestRate(git?.rates ?? []),
    end: () => git?.stop(tooSlowForOthers(target.store.limits)),
  };
  const release = await transfers.acquire(caller, { signal: options.waitSignal ?? options.signal, work });
  try {
    git = startGit(target, args, { kind: 'transfer', idle: target.store.limits.transferIdle, ...options });
    void git.ended.then(release);
    if (recheck) keepChecking(git, recheck);
    return git;
  } catch (error) {
    release();
    throw error;
  }
}
