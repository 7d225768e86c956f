import { readdir, readFile, readlink, unlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { hasEnded, isProcessRunning, pidExists, readProcessStatus } from '#lib/running-process.ts';
import type { PostgresHome } from './postgres-home.ts';

/** A PostgreSQL process of a data folder: the postmaster, or one of its children. */
type PostgresProcess = { pid: number; parent: number; isChild: boolean };

type Folders = Pick<PostgresHome, 'data' | 'socket'>;

/** The postmaster of a data folder, from its pid file. The file may be stale, so the process is checked. */
export async function findPostmaster(home: Folders): Promise<number | undefined> {
  const lines = (await readFile(join(home.data, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 1 || lines[1] !== home.data || !isProcessRunning(pid)) return undefined;
  // Without /proc the file is trusted.
  return !hasProc() || (await readProcess(pid, home.data)) ? pid : undefined;
}

/** The children of a dead postmaster of this folder. They hold its shared memory until they notice its end. */
export const findOrphans = async (home: Folders): Promise<PostgresProcess[]> => processesIn(home.data);

/**
 * Ends the children of a dead postmaster with SIGQUIT, as a postmaster does after a crash of a child. The recovery rolls back
 * what they didn't commit.
 */
export function endOrphans(orphans: readonly PostgresProcess[]): void {
  const ids = new Set(orphans.map(({ pid }) => pid));
  for (const { pid, parent, isChild } of orphans) {
    if (!isChild || ids.has(parent)) continue;
    try {
      process.kill(pid, 'SIGQUIT');
    } catch {
      // It has ended in the meantime, or belongs to another account.
    }
  }
}

/**
 * Removes the pid files of a dead postmaster if one of its children or another program now has its pid. PostgreSQL checks the pid
 * only, and would refuse to start. Nothing is removed if a PostgreSQL uses the folder.
 */
export async function removeStalePidFiles(home: Folders): Promise<void> {
  const files = [join(home.data, 'postmaster.pid'), join(home.socket, '.s.PGSQL.5432.lock')];
  for (const file of files) {
    const pid = Math.abs(Number.parseInt(await readFile(file, 'utf8').catch(() => ''), 10));
    if (!(pid > 1) || !pidExists(pid)) continue;
    const inUse = !hasProc() || (await processesIn(home.data)).length > 0 || (await acceptsConnections(home));
    if (!inUse) await unlink(file);
  }
}

/** Whether a server listens on the socket of a folder. It may run in another container, whose processes aren't visible. */
async function acceptsConnections({ socket }: Folders): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const client = connect(join(socket, '.s.PGSQL.5432'));
  client.once('connect', () => resolve(true)).once('error', () => resolve(false));
  return promise.finally(() => client.destroy());
}

const hasProc = (): boolean => readProcessStatus(process.pid) !== undefined;

async function processesIn(folder: string): Promise<PostgresProcess[]> {
  const names = await readdir('/proc').catch(() => []);
  const found = await Promise.all(names.filter((name) => /^\d+$/.test(name)).map((name) => readProcess(Number(name), folder)));
  return found.filter((one) => one !== undefined);
}

/** A process, if it is a running PostgreSQL whose working directory is this folder. */
async function readProcess(pid: number, folder: string): Promise<PostgresProcess | undefined> {
  const status = readProcessStatus(pid);
  if (status?.name !== 'postgres' || hasEnded(status)) return undefined;
  const title = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  // The working directory of another account's process can't be read. In that case, the postmaster's arguments are checked.
  const isInFolder = await readlink(`/proc/${pid}/cwd`).then(
    (path) => path === folder,
    () => title.split('\0').includes(folder),
  );
  return isInFolder ? { pid, parent: status.parent, isChild: title.startsWith('postgres: ') } : undefined;
}
