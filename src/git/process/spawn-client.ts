import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream';
import { type FromSpawnServer, socketName, type ToSpawnServer } from './spawn-messages.ts';
import { type Exit, type Spawned, type SpawnOrder, spawnHere } from './spawned.ts';

const program = new URL('spawn-server.ts', import.meta.url).pathname;

/** A process that starts fewer programs than this doesn't use a spawn server. Most commands of the command line don't. */
const startsBefore = 8;
/** The number of programs that may be starting at the same time. This process starts further ones itself. */
const slots = 16;
/** The maximum length of a Unix socket address, on the systems with the smallest limit. */
const maxAddress = 100;

/** A running spawn server. */
class SpawnServer {
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly #free: number[] = [];
  /** Callbacks that end the wait for a process, by its id. */
  readonly #awaited = new Map<number, (exit: Exit) => void>();
  #last = 0;
  /** Whether it is no longer usable, because it ended or couldn't be started. */
  isGone = false;

  constructor(folder: string) {
    this.#folder = folder;
    this.#child = fork(program, [folder, String(slots)], {
      // Without the options of this process, which may load modules that aren't needed there.
      execArgv: ['--max-old-space-size=64', '--max-semi-space-size=1'],
      env: {},
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      detached: true,
    });
    this.#child.on('message', (message: FromSpawnServer) => this.#take(message));
    this.#child.once('error', () => this.#lose());
    this.#child.once('disconnect', () => this.#lose());
    this.#child.unref();
    this.#child.channel?.unref();
  }

  /** Starts a program, unless all slots are in use or the server isn't ready. */
  start(order: SpawnOrder): Spawned | undefined {
    const slot = this.isGone ? undefined : this.#free.pop();
    if (slot === undefined) return undefined;
    const socket = (index: number): Socket => {
      const path = join(this.#folder, socketName(slot, index));
      // Each standard stream has one direction, like a child's streams. A pipeline would wait for both directions.
      const made = connect({ path, readable: index !== 0, writable: index === 0 || index === 3, allowHalfOpen: index === 3 });
      made.on('error', (error: NodeJS.ErrnoException) => {
        // Other errors only mean that the process ended before it had read everything, which its exit shows too, or that its user
        // stopped it.
        if (error.syscall === 'connect') this.#lose();
      });
      return made;
    };
    const [stdin, stdout, stderr] = [socket(0), socket(1), socket(2)];
    const channel = order.channel ? socket(3) : undefined;
    this.#last += 1;
    const id = this.#last;
    const exited = this.#exitOf(id);
    this.#send({ kind: 'start', id, slot, order });
    void exited.then(() => stdin.destroy());
    return {
      stdin,
      stdout,
      stderr,
      channel,
      exited,
      closed: Promise.all([exited, closeOf(stdout, exited), closeOf(stderr, exited)]).then(([exit]) => exit),
      stop: () => this.#send({ kind: 'stop', id }),
    };
  }

  #send(message: ToSpawnServer): void {
    if (this.isGone) return;
    this.#child.send(message, (error) => {
      if (error) this.#lose();
    });
  }

  #exitOf(id: number): Promise<Exit> {
    const { promise, resolve } = Promise.withResolvers<Exit>();
    // While a process is awaited, this one must not end.
    if (this.#awaited.size === 0) this.#child.channel?.ref();
    this.#awaited.set(id, (exit) => {
      this.#awaited.delete(id);
      if (this.#awaited.size === 0) this.#child.channel?.unref();
      resolve(exit);
    });
    return promise;
  }

  #take(message: FromSpawnServer): void {
    if (message.kind === 'ready') this.#free.push(...Array.from({ length: slots }, (_, slot) => slot));
    if (message.kind === 'taken') this.#free.push(message.slot);
    if (message.kind === 'ended') this.#awaited.get(message.id)?.({ code: message.code, signal: message.signal });
    if (message.kind === 'failed')
      this.#awaited.get(message.id)?.({
        code: null,
        signal: null,
        error: Object.assign(new Error(message.message), message.code === undefined ? {} : { code: message.code }),
      });
  }

  /** The exits of its programs are now unknown. */
  #lose(): void {
    if (this.isGone) return;
    this.isGone = true;
    this.#child.kill('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true });
    const error = new Error('The process that starts programs has ended');
    for (const settle of [...this.#awaited.values()]) settle({ code: null, signal: null, error });
  }
}

/** Resolves when a stream is read to its end or destroyed. As with child processes, unread output is dropped at the exit. */
function closeOf(stream: Socket, exited: Promise<Exit>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  finished(stream, { writable: false }, () => resolve());
  void exited.then(({ error }) => {
    if (error) stream.destroy();
    else if (stream.readable && stream.readableFlowing === null && stream.listenerCount('readable') === 0) stream.resume();
  });
  return promise;
}

let server: SpawnServer | undefined;
let started = 0;

/** The spawn server of this process. It is started with the first programs, and again after it was lost. */
function spawnServer(): SpawnServer | undefined {
  started += 1;
  if (started <= startsBefore) return undefined;
  if (server && !server.isGone) return server;
  const folder = mkdtempSync(join(tmpdir(), 'hearth-spawn-'));
  if (Buffer.byteLength(join(folder, socketName(slots, 0))) > maxAddress) {
    rmSync(folder, { recursive: true });
    started = Number.NEGATIVE_INFINITY; // the folder of temporary files keeps its name
    return undefined;
  }
  server = new SpawnServer(folder);
  return server;
}

/** Starts a program with the spawn server, or as a child of this process if there is no spawn server. */
export const spawnProgram = (order: SpawnOrder): Spawned => spawnServer()?.start(order) ?? spawnHere(order);
