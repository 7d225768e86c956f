import type { Readable, Writable } from 'node:stream';
import { GitError } from '../errors.ts';
import type { GitStore, Repo } from '../repo.ts';
import { exceeded } from './exceeded.ts';
import { type GitProcess, type StartOptions, startGit } from './process.ts';

/** What a finished command gave. `truncated` says that it was stopped at `maxOutput`. */
export type Output = { stdout: Buffer; stderr: string; code: number; truncated: boolean };

export type RunOptions = StartOptions & {
  input?: string | Uint8Array | Readable;
  maxOutput?: number;
  /** At `maxOutput`, return the output so far instead of failing. */
  truncate?: boolean;
  /** Exit codes that aren't failures; left out: 0 only. */
  codes?: readonly number[];
};

/** Gives git its input. It may end before it has read everything: only an input that breaks by itself is a failure. */
async function feed({ stdin, stop }: GitProcess, input: RunOptions['input']): Promise<void> {
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

/** Waits until a stream takes more, or is closed. */
function drained(stream: Writable): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  stream.once('drain', resolve).once('close', resolve);
  return promise.finally(() => stream.off('drain', resolve).off('close', resolve));
}

/** Runs a short git command to its end and gives its whole output. Throws a `GitError` for an unexpected exit code. */
export async function run(at: Repo | { store: GitStore }, args: readonly string[], options: RunOptions = {}): Promise<Output> {
  const { limits, commands, caller } = at.store;
  const release = await commands.acquire(caller, { signal: options.signal });
  try {
    const git = startGit(at, args, options);
    const most = options.maxOutput ?? limits.output;
    const chunks: Buffer[] = [];
    let size = 0;
    let truncated = false;
    git.stdout.on('data', (chunk: Buffer) => {
      if (truncated) return;
      size += chunk.length;
      chunks.push(chunk);
      if (size <= most) return;
      truncated = true;
      git.stop(exceeded(limits, 'output', { message: 'The answer of Git is too large' }));
    });
    // Not awaited: git may be done while the input is still to end. An input that breaks ends git.
    void feed(git, options.input);
    const { code, cause } = await git.ended;
    const stdout = Buffer.concat(chunks);
    if (truncated && options.truncate) return { stdout: stdout.subarray(0, most), stderr: git.stderr(), code: 0, truncated };
    if (cause) throw cause;
    if (code === undefined || !(options.codes ?? [0]).includes(code)) throw failure(args, git.stderr());
    return { stdout, stderr: git.stderr(), code, truncated };
  } finally {
    release();
  }
}

/** Starts a short git command whose output is read while it works: git holds a place among the caller's commands until it ends. */
export async function startCommand(
  at: Repo | { store: GitStore },
  args: readonly string[],
  { input, ...options }: StartOptions & { input?: string } = {},
): Promise<GitProcess> {
  const { commands, caller } = at.store;
  const release = await commands.acquire(caller, { signal: options.signal });
  try {
    const git = startGit(at, args, options);
    void git.ended.then(release);
    git.stdin.end(input);
    return git;
  } catch (error) {
    release();
    throw error;
  }
}

/** The error of a command that ended badly. */
export const failure = (args: readonly string[], stderr: string): GitError =>
  new GitError('failed', `git ${args[0] ?? ''} failed`, stderr.trim());

/** As `run`, for output that is text. */
export async function runText(
  at: Repo | { store: GitStore },
  args: readonly string[],
  options: RunOptions = {},
): Promise<string> {
  const { stdout } = await run(at, args, options);
  return stdout.toString('utf8');
}

/** Starts a transfer: git holds a place among the caller's transfers until it ends. */
export async function startTransfer(
  at: Repo | { store: GitStore },
  args: readonly string[],
  options: StartOptions = {},
): Promise<GitProcess> {
  const { transfers, caller } = at.store;
  const release = await transfers.acquire(caller, { signal: options.waitSignal ?? options.signal });
  try {
    const git = startGit(at, args, { kind: 'transfer', idle: at.store.limits.transferIdle, ...options });
    void git.ended.then(release);
    return git;
  } catch (error) {
    release();
    throw error;
  }
}
