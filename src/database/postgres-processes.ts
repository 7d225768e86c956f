import { readdir, readFile, readlink, unlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { PostgresHome } from './postgres-home.ts';

/** A process of PostgreSQL that works on a data folder: the postmaster, or one that serves a connection for it. */
type PostgresProcess = { pid: number; parent: number; isChild: boolean };

type Folders = Pick<PostgresHome, 'data' | 'socket'>;

export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
};

/** Whether a process has ended, though its parent has not yet asked how. It still has its id, and holds nothing else. */
export const isZombie = async (pid: number): Promise<boolean> => /^[ZX]$/.test((await statOf(pid))?.state ?? '');

/** The postmaster of a data folder, by its pid file. The file may be old, so the process is looked at. */
export async function findPostmaster(home: Folders): Promise<number | undefined> {
  const lines = (await readFile(join(home.data, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 1 || lines[1] !== home.data || !isAlive(pid)) return undefined;
  // Without /proc it is believed.
  return !(await hasProc()) || (await readProcess(pid, home.data)) ? pid : undefined;
}

/** The processes that a dead postmaster of this folder left: they hold its shared memory until they have noticed. */
export const leftProcesses = async (home: Folders): Promise<PostgresProcess[]> => processesIn(home.data);

/**
 * Ends processes whose postmaster is dead, in the way in which a postmaster ends its own when one of them crashed. What they did not
 * commit is undone by the recovery.
 */
export function endOrphans(left: readonly PostgresProcess[]): void {
  const ids = new Set(left.map(({ pid }) => pid));
  for (const { pid, parent, isChild } of left) {
    if (!isChild || ids.has(parent)) continue;
    try {
      process.kill(pid, 'SIGQUIT');
    } catch {
      // It has ended meanwhile, or belongs to somebody else, who has to end it.
    }
  }
}

/**
 * Removes the pid files of a postmaster that is dead, but whose id is still taken: by its own remains, or by another program. PostgreSQL
 * asks for the id alone, and would not start. Nothing is removed where a PostgreSQL works on the folder.
 */
export async function removeStalePidFiles(home: Folders): Promise<void> {
  const files = [join(home.data, 'postmaster.pid'), join(home.socket, '.s.PGSQL.5432.lock')];
  for (const file of files) {
    const pid = Math.abs(Number.parseInt(await readFile(file, 'utf8').catch(() => ''), 10));
    if (!(pid > 1) || !isAlive(pid)) continue;
    const inUse = !(await hasProc()) || (await processesIn(home.data)).length > 0 || (await accepts(home));
    if (!inUse) await unlink(file);
  }
}

/** Whether somebody listens on the socket of a folder. It may be a PostgreSQL in another container, whose processes aren't seen here. */
async function accepts({ socket }: Folders): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const client = connect(join(socket, '.s.PGSQL.5432'));
  client.once('connect', () => resolve(true)).once('error', () => resolve(false));
  return promise.finally(() => client.destroy());
}

const hasProc = async (): Promise<boolean> => (await statOf(process.pid)) !== undefined;

async function processesIn(folder: string): Promise<PostgresProcess[]> {
  const names = await readdir('/proc').catch(() => []);
  const found = await Promise.all(names.filter((name) => /^\d+$/.test(name)).map((name) => readProcess(Number(name), folder)));
  return found.filter((one) => one !== undefined);
}

/** A process, if it is a living PostgreSQL whose working directory is this folder. */
async function readProcess(pid: number, folder: string): Promise<PostgresProcess | undefined> {
  const stat = await statOf(pid);
  if (stat?.name !== 'postgres' || /^[ZX]$/.test(stat.state)) return undefined;
  const title = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  // The working directory of a process with more rights can't be read: then the postmaster's arguments tell.
  const works = await readlink(`/proc/${pid}/cwd`).then(
    (path) => path === folder,
    () => title.split('\0').includes(folder),
  );
  return works ? { pid, parent: stat.parent, isChild: title.startsWith('postgres: ') } : undefined;
}

async function statOf(pid: number): Promise<{ name: string; state: string; parent: number } | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const [, name = '', state = '', parent] = /^\d+ \((.*)\) (\S) (\d+)/s.exec(text) ?? [];
  return parent === undefined ? undefined : { name, state, parent: Number(parent) };
}
