import { spawn } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { readdir, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartupError } from '#lib/startup-error.ts';
import type { PostgresHome } from './postgres-home.ts';

/** A process's use of a running PostgreSQL. The kernel ends it when the process ends in any way. */
type PostgresUse = { end(): void };

const pauseMs = 10;
/** The time for the process that started PostgreSQL to start its watcher too. */
const otherStarterMs = 1_000;
const watcherStartMs = 60_000;

/**
 * Stops PostgreSQL once no process has the named pipe open for writing. It blocks in `open` until the first writer, and in `read`
 * until the last one has gone. The pid file shows whether the process with this id is still that PostgreSQL. A signal can't check
 * whether it exists, since it also fails for another account's process.
 */
const script = `
trap '' HUP INT TERM
cd /
mkfifo -m 600 "$1" 2>/dev/null
exec 3<"$1" || exit 1
read -r nothing <&3
rm -f "$1"
exists() { if [ -d /proc/self ]; then [ -d "/proc/$1" ]; else ps -p "$1" >&2; fi; }
is_running() { read -r first <"$3" && [ "$first" = "$2" ] && exists "$2"; } 2>/dev/null
is_running "$@" && kill -INT "$2"
seconds=0
while is_running "$@" && [ "$seconds" -lt 60 ]; do sleep 1; seconds=$((seconds + 1)); done
is_running "$@" && kill -QUIT "$2"`;

/**
 * Registers this process as a user of PostgreSQL. A small separate process, the watcher, stops PostgreSQL when its last user has
 * ended, even through `kill -9`. If the watcher was killed, another one is started.
 * @param isStarter whether this process started PostgreSQL, so that no watcher can exist yet
 */
export async function usePostgres(home: PostgresHome, pid: number, { isStarter }: { isStarter: boolean }): Promise<PostgresUse> {
  const pipe = pipeOf(home, pid);
  if (isStarter) await removeOtherPipes(home, pipe);
  const descriptor = (isStarter ? undefined : await openPipe(pipe, otherStarterMs)) ?? (await startWatcher(home, pid));
  let isOpen = true;
  return {
    end() {
      if (isOpen) closeSync(descriptor);
      isOpen = false;
    },
  };
}

const pipePrefix = 'users-of-';
const pipeOf = ({ data }: PostgresHome, pid: number): string => join(dirname(data), `${pipePrefix}${pid}`);

/** Removes the pipes of earlier PostgreSQL processes whose watchers were killed. */
async function removeOtherPipes({ data }: PostgresHome, own: string): Promise<void> {
  const folder = dirname(data);
  const pipes = (await readdir(folder)).filter((name) => name.startsWith(pipePrefix)).map((name) => join(folder, name));
  await Promise.all(pipes.filter((pipe) => pipe !== own).map((pipe) => unlink(pipe).catch(() => undefined)));
}

async function startWatcher(home: PostgresHome, pid: number): Promise<number> {
  const pipe = pipeOf(home, pid);
  // Detached, so that Ctrl-C in a terminal doesn't reach it.
  const watcher = spawn('/bin/sh', ['-c', script, 'sh', pipe, String(pid), join(home.data, 'postmaster.pid')], {
    stdio: 'ignore',
    detached: true,
    env: { PATH: process.env.PATH },
  });
  watcher.unref();
  const failed = Promise.withResolvers<never>();
  const fail = () =>
    failed.reject(new StartupError(`PostgreSQL can't be watched: /bin/sh could not make the named pipe ${pipe}`));
  watcher.once('error', fail).once('exit', fail);
  const descriptor = await Promise.race([openPipe(pipe, watcherStartMs), failed.promise]);
  if (descriptor === undefined) throw new StartupError(`PostgreSQL can't be watched: ${pipe} has no reader`);
  return descriptor;
}

/** Opens a pipe for writing; undefined if no process opens it for reading within some time. */
async function openPipe(pipe: string, waitMs: number): Promise<number | undefined> {
  for (const deadline = Date.now() + waitMs; ; await sleep(pauseMs)) {
    try {
      return openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch (error) {
      if (!isWithoutReader(error)) throw error;
    }
    if (Date.now() > deadline) return undefined;
  }
}

const isWithoutReader = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENXIO' || error.code === 'ENOENT');
