import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { StartupError } from '#lib/startup-error.ts';
import { type Address, clientConfig } from './connect.ts';
import { launch, type PostgresHome, preparePostgresHome } from './postgres-home.ts';
import { findPostmaster, isAlive, isZombie, removeStalePidFiles } from './postgres-processes.ts';
import { type StartWait, startWait, type TellWait, untilLeft } from './start-wait.ts';

/** A PostgreSQL of Hearth's own, on a Unix socket inside the data folder. */
export type Embedded = { address: Address; takenOver: boolean; stop(): Promise<void> };

const database = 'hearth';
const user = 'hearth';
const startTimeoutMs = 60_000;
const stopTimeoutMs = 30_000;
const pauseMs = 20;
/** Each try that is refused leaves some lines in the log. */
const relaunchPauseMs = 250;

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
 * PostgreSQL recovers by itself; where remains of the one before still hold the folder, the start waits for their end, and tells
 * so. `extra` overrides settings (tests give up durability).
 * @throws StartupError that says why PostgreSQL doesn't start.
 */
export async function startEmbedded(
  dataFolder: string,
  extra: Record<string, string> = {},
  tellWait: TellWait = () => undefined,
): Promise<Embedded> {
  const home = await preparePostgresHome(dataFolder);
  const address: Address = { socket: home.socket, database, user };
  const wait = startWait({ most: startTimeoutMs, log: home.log, tellWait });
  for (;;) {
    const running = await findPostmaster(home);
    const pid = running ?? (await launchServer(home, { ...settings, ...extra }, wait));
    const isRunning = async () => pid !== undefined && (await findPostmaster(home)) === pid;
    if (pid !== undefined && (await becomesReady(home, isRunning))) {
      if (!(await databaseExists(address))) await createDatabase(address);
      return { address, takenOver: running !== undefined, stop: () => stopProcess(pid) };
    }
    await wait.pause('another PostgreSQL is starting or ending on the data folder');
  }
}

/** Launches PostgreSQL when nothing of an earlier one is left. Undefined where it had to give way to another. */
async function launchServer(home: PostgresHome, config: Record<string, string>, wait: StartWait): Promise<number | undefined> {
  if (!(await untilLeft(home, wait))) return undefined;
  await removeStalePidFiles(home);
  await initialize(home);
  const logged = await stat(home.log).then(
    ({ size }) => size,
    () => 0,
  );
  const server = await startServer(home, config);
  let failure: Error | undefined;
  server.once('error', (error) => {
    failure = error;
  });
  if (await becomesReady(home, () => server.exitCode === null && server.signalCode === null)) {
    server.unref();
    return server.pid;
  }
  const reason = failure?.message ?? (await fatalReason(home.log, logged));
  if (!isHeld(reason)) throw new StartupError(`PostgreSQL stopped at its start (${reason}); see ${home.log}`);
  await wait.pause(reason, relaunchPauseMs);
  return undefined;
}

/** What PostgreSQL said last before it ended, of what was logged from a place on, but for answers to connections that came too early. */
async function fatalReason(log: string, from: number): Promise<string> {
  const said = (await readFile(log)).subarray(from).toString();
  return [...said.matchAll(/FATAL: +(?! |the database system is )(.*)/g)].at(-1)?.[1] ?? 'it gave no reason';
}

/** Whether a start was refused because of an earlier or another PostgreSQL on the folder, which may end. */
const isHeld = (reason: string): boolean => /^(lock file ".*" already exists|pre-existing shared memory block)/.test(reason);

async function initialize(home: PostgresHome): Promise<void> {
  const version = await readFile(join(home.data, 'PG_VERSION'), 'utf8').catch(() => undefined);
  if (version !== undefined) return;
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

/** Waits until PostgreSQL answers; false where it ended instead. */
async function becomesReady(home: PostgresHome, isRunning: () => boolean | Promise<boolean>): Promise<boolean> {
  const deadline = Date.now() + startTimeoutMs;
  const address: Address = { socket: home.socket, database: 'postgres', user };
  while (await isRunning()) {
    if (await answers(address)) return true;
    if (Date.now() > deadline)
      throw new StartupError(`PostgreSQL did not answer within ${startTimeoutMs / 1000} s; see ${home.log}`);
    await sleep(pauseMs);
  }
  return false;
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

/** PostgreSQL's code where another process was first to create it. */
const duplicateDatabase = '42P04';

const createDatabase = (address: Address): Promise<unknown> =>
  asAdministrator(address, (client) => client.query(`create database ${database}`)).catch((error) => {
    if (error.code !== duplicateDatabase) throw error;
  });

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
