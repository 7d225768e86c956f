import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { StartupError } from '#lib/startup-error.ts';
import { type Address, clientConfig } from './connect.ts';
import { launch, type PostgresHome, preparePostgresHome } from './postgres-home.ts';

/** A PostgreSQL of Hearth's own, on a Unix socket inside the data folder. */
export type Embedded = { address: Address; takenOver: boolean; stop(): Promise<void> };

const database = 'hearth';
const user = 'hearth';
const startTimeoutMs = 60_000;
const stopTimeoutMs = 30_000;

/**
 * Settings for a machine of 1 GB, which holds Hearth and its git processes too. Commits stay durable. What one statement may take of
 * memory and of the disk is bounded (`docs/operations.md`).
 */
const settings: Record<string, string> = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: '300',
  shared_buffers: '128MB',
  work_mem: '4MB',
  hash_mem_multiplier: '1',
  temp_file_limit: '4GB',
  maintenance_work_mem: '64MB',
  autovacuum_work_mem: '32MB',
  max_wal_size: '2GB',
  jit: 'off',
  random_page_cost: '1.1',
  timezone: 'UTC',
  log_timezone: 'UTC',
};

/**
 * Starts the PostgreSQL of a data folder, or takes over the one that a killed Hearth left running there. After a crash
 * PostgreSQL recovers by itself. `extra` overrides settings (tests give up durability).
 */
export async function startEmbedded(dataFolder: string, extra: Record<string, string> = {}): Promise<Embedded> {
  const home = await preparePostgresHome(dataFolder);
  const address: Address = { socket: home.socket, database, user };
  const running = await runningPid(home);
  if (running !== undefined) {
    await untilReady(address, undefined, home);
    return { address, takenOver: true, stop: () => stopProcess(running) };
  }
  const fresh = await initialize(home);
  const server = await startServer(home, { ...settings, ...extra });
  await untilReady({ ...address, database: 'postgres' }, server, home);
  if (fresh || !(await databaseExists(address))) await createDatabase(address);
  server.unref();
  const pid = server.pid;
  if (pid === undefined) throw new StartupError(`PostgreSQL did not start; see ${home.log}`);
  return { address, takenOver: false, stop: () => stopProcess(pid) };
}

/** The pid of a PostgreSQL that runs on this folder, from its pid file. The file may be old, so the process is looked at. */
async function runningPid(home: PostgresHome): Promise<number | undefined> {
  const lines = (await readFile(join(home.data, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 1 || lines[1] !== home.data || !(await isPostgres(pid))) return undefined;
  return pid;
}

/** Whether a process is PostgreSQL: its pid may belong to another program by now. Without /proc it is believed. */
async function isPostgres(pid: number): Promise<boolean> {
  if (!isAlive(pid)) return false;
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => 'postgres');
  return command.includes('postgres');
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
};

async function initialize(home: PostgresHome): Promise<boolean> {
  const version = await readFile(join(home.data, 'PG_VERSION'), 'utf8').catch(() => undefined);
  if (version !== undefined) return false;
  const child = launch(home, home.binaries.initdb, [
    ...['-D', home.data, '--username', user, '--auth', 'trust', '--encoding', 'UTF8', '--locale', 'C', '--no-instructions'],
  ]);
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const [code] = await once(child, 'close');
  if (code !== 0)
    throw new StartupError(`PostgreSQL could not set up ${home.data}: ${said.trim().split('\n').at(-1) ?? 'no reason given'}`);
  return true;
}

async function startServer(home: PostgresHome, config: Record<string, string>): Promise<ChildProcess> {
  const log = await open(home.log, 'a', 0o600);
  try {
    const options = Object.entries(config).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    // Detached: a terminal's Ctrl-C must reach Hearth alone, which drains before it stops the database.
    return launch(home, home.binaries.postgres, ['-D', home.data, '-k', home.socket, ...options], {
      output: log.fd,
      detached: true,
    });
  } finally {
    await log.close();
  }
}

async function untilReady(address: Address, server: ChildProcess | undefined, home: PostgresHome): Promise<void> {
  const deadline = Date.now() + startTimeoutMs;
  for (;;) {
    if (await answers(address)) return;
    if (server && server.exitCode !== null) throw new StartupError(`PostgreSQL stopped at its start; see ${home.log}`);
    if (Date.now() > deadline)
      throw new StartupError(`PostgreSQL did not answer within ${startTimeoutMs / 1000} s; see ${home.log}`);
    await sleep(20);
  }
}

async function answers(address: Address): Promise<boolean> {
  const client = new pg.Client(clientConfig(address));
  client.on('error', () => undefined); // the connection is thrown away either way
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function asAdministrator<T>(address: Address, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(clientConfig({ ...address, database: 'postgres' } as Address));
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const databaseExists = (address: Address): Promise<boolean> =>
  asAdministrator(address, async (client) => {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [database]);
    return rowCount === 1;
  });

const createDatabase = (address: Address): Promise<unknown> =>
  asAdministrator(address, (client) => client.query(`create database ${database}`));

/** Stops PostgreSQL by its fast shutdown, which ends sessions and loses nothing. */
async function stopProcess(pid: number): Promise<void> {
  if (!isAlive(pid)) return;
  process.kill(pid, 'SIGINT');
  const deadline = Date.now() + stopTimeoutMs;
  while (isAlive(pid) && !(await isZombie(pid))) {
    if (Date.now() > deadline) throw new Error(`PostgreSQL (pid ${pid}) did not stop within ${stopTimeoutMs / 1000} s`);
    await sleep(20);
  }
}

const isZombie = async (pid: number): Promise<boolean> =>
  /^\d+ \(.*\) Z/s.test(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ''));
