import { type ChildProcess, spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import type { Duplex, Readable, Writable } from 'node:stream';

const killGrace = 3_000;

/** A program to start in a separate process group. `file` is looked up in the PATH of `env`. */
export type SpawnOrder = {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The nice value, 0 to 19. */
  readonly niceness: number;
  /** Whether it gets a bidirectional pipe as file descriptor 3. */
  readonly channel: boolean;
};

/** How a process ended. `error`: it couldn't be started. */
export type Exit = { readonly code: number | null; readonly signal: NodeJS.Signals | null; readonly error?: Error };

/** A started process, or one that is about to start. Both promises always resolve. */
export type Spawned = {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly channel: Duplex | undefined;
  readonly exited: Promise<Exit>;
  /** Resolves after the exit, when all output is read. */
  readonly closed: Promise<Exit>;
  /**
   * Ends the process group, unless the process has exited: first with SIGTERM, so that git removes its lock files, then with
   * SIGKILL.
   */
  stop(): void;
};

/** Ends the group of a process whose exit hasn't been seen. */
export function stopGroup(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
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

/** Lowers the priority of a newly started process. */
export function lowerPriority({ pid }: ChildProcess, niceness: number): void {
  if (pid === undefined || niceness === 0) return;
  try {
    setPriority(pid, niceness);
  } catch {
    // It has already ended, or the system doesn't allow it.
  }
}

/** Starts a program as a child of this process. */
export function spawnHere({ file, args, cwd, env, niceness, channel }: SpawnOrder): Spawned {
  const child = spawn(file, args, {
    cwd,
    env,
    stdio: ['pipe', 'pipe', 'pipe', ...(channel ? (['pipe'] as const) : [])],
    detached: true,
  });
  lowerPriority(child, niceness);
  const exited = Promise.withResolvers<Exit>();
  const closed = Promise.withResolvers<Exit>();
  child.once('error', (error) => {
    if (child.pid !== undefined) return;
    exited.resolve({ code: null, signal: null, error });
    closed.resolve(exited.promise);
  });
  child.once('exit', (code, signal) => exited.resolve({ code, signal }));
  child.once('close', (code, signal) => closed.resolve({ code, signal }));
  const { stdin, stdout, stderr } = child as ChildProcess & { stdin: Writable; stdout: Readable; stderr: Readable };
  return {
    stdin,
    stdout,
    stderr,
    channel: channel ? (child.stdio[3] as Duplex) : undefined,
    exited: exited.promise,
    closed: closed.promise,
    stop: () => stopGroup(child),
  };
}
