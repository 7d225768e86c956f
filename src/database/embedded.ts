import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { isProcessRunning, startOfProcess } from '#lib/running-process.ts';
import { StartupError } from '#lib/startup-error.ts';
import { type Address, clientConfig } from './connect.ts';
import { launch, type PostgresHome, preparePostgresHome } from './postgres-home.ts';
import { findPostmaster, removeStalePidFiles } from './postgres-processes.ts';
import { usePostgres } from './postgres-watch.ts';
import { type OnWait, type StartWait, startWait, waitForOrphans } from './start-wait.ts';

type StartReports = {
  /** Called with the reason if the start has to wait. */
  onWait?: OnWait;
  /** Called as soon as this process only waits for PostgreSQL. */
  onLaunched?: () => void;
};

/** A running embedded PostgreSQL, on a Unix socket inside the data folder. It stops when all processes that use it have ended. */
export type Embedded = {
  address: Address;
  takenOver: boolean;
  stop(): Promise<void>;
  /** Ends this process's use. */
  release(): void;
};

const database = 'hearth';
const user = 'hearth';
const startTimeoutMs = 60_000;
const stopTimeoutMs = 30_000;
const pauseMs = 20;
/** This pause is longer, since each refused start writes some lines to the log. */
const relaunchPauseMs = 250;

/**
 * Settings for a machine of 1 GB, which also runs Hearth and its git processes. Commits are durable. The memory and disk of a
 * statement are limited (`docs/operations.md`).
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
  max_logical_replication_workers: '0',
  random_page_cost: '1.1',
  timezone: 'UTC',
  log_timezone: 'UTC',
};

/**
 * Starts the PostgreSQL of a data folder, or joins one that another process has started there. While processes of an earlier
 * PostgreSQL still use the folder, it waits for their end.
 * @param extra replaces settings (tests turn durability off)
 * @throws StartupError with the reason if PostgreSQL doesn't start
 */
export async function startEmbedded(
  dataFolder: string,
  extra: Record<string, string> = {},
  { onWait = () => undefined, onLaunched = () => undefined }: StartReports = {},
): Promise<Embedded> {
  const home = await preparePostgresHome(dataFolder);
  const address: Address = { socket: home.socket, database, user };
  const wait = startWait({ maxMs: startTimeoutMs, log: home.log, onWait });
  for (;;) {
    const running = await findPostmaster(home);
    const pid = running ?? (await launchServer(home, { ...settings, ...extra }, { wait, onLaunched }));
    const isRunning = async () => pid !== undefined && (await findPostmaster(home)) === pid;
    if (pid !== undefined && (await waitUntilReady(home, isRunning))) {
      const start = startOfProcess(pid);
      const use = await usePostgres(home, pid, { isStarter: running === undefined });
      if (!(await databaseExists(address))) await createDatabase(address);
      return {
        address,
        takenOver: running !== undefined,
        stop: () => stopProcess(pid, start).finally(use.end),
        release: use.end,
      };
    }
    await wait.pause('another PostgreSQL is starting or ending on the data folder');
  }
}

/** Launches PostgreSQL when no process of an earlier one remains. Undefined if another PostgreSQL was first. */
async function launchServer(
  home: PostgresHome,
  config: Record<string, string>,
  { wait, onLaunched }: { wait: StartWait; onLaunched: () => void },
): Promise<number | undefined> {
  if (!(await waitForOrphans(home, wait))) return undefined;
  await removeStalePidFiles(home);
  await initialize(home, onLaunched);
  const logSize = await stat(home.log).then(
    ({ size }) => size,
    () => 0,
  );
  const server = await startServer(home, config);
  onLaunched();
  let failure: Error | undefined;
  server.once('error', (error) => {
    failure = error;
  });
  if (await waitUntilReady(home, () => server.exitCode === null && server.signalCode === null)) {
    server.unref();
    return server.pid;
  }
  const reason = failure?.message ?? (await fatalReason(home.log, logSize));
  if (!isFolderInUse(reason)) throw new StartupError(`PostgreSQL stopped at its start (${reason}); see ${home.log}`);
  await wait.pause(reason, relaunchPauseMs);
  return undefined;
}

/** The last fatal message that PostgreSQL logged after the byte offset `from`, except for refused connections. */
async function fatalReason(log: string, from: number): Promise<string> {
  const output = (await readFile(log)).subarray(from).toString();
  return [...output.matchAll(/FATAL: +(?! |the database system is )(.*)/g)].at(-1)?.[1] ?? 'it gave no reason';
}

/**
 * Whether a start was refused because an earlier or another PostgreSQL still uses the folder, which may be temporary. The lock
 * file of one that is just starting may be empty.
 */
const isFolderInUse = (reason: string): boolean =>
  /^(lock file ".*" (?:already exists|is empty)|pre-existing shared memory block)/.test(reason);

async function initialize(home: PostgresHome, onLaunched: () => void): Promise<void> {
  const version = await readFile(join(home.data, 'PG_VERSION'), 'utf8').catch(() => undefined);
  if (version !== undefined) return;
  const child = launch(home, home.binaries.initdb, [
    ...['-D', home.data, '--username', user, '--auth', 'trust', '--encoding', 'UTF8', '--locale', 'C', '--no-instructions'],
  ]);
  let output = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  onLaunched();
  const [code] = await once(child, 'close');
  if (code !== 0)
    throw new StartupError(`PostgreSQL could not set up ${home.data}: ${output.trim().split('\n').at(-1) ?? 'no reason given'}`);
}

async function startServer(home: PostgresHome, config: Record<string, string>): Promise<ChildProcess> {
  const log = await open(home.log, 'a', 0o600);
  try {
    const options = Object.entries(config).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    // Detached, so that Ctrl-C in a terminal reaches only Hearth, which drains requests before it stops the database.
    return launch(home, home.binaries.postgres, ['-D', home.data, '-k', home.socket, ...options], {
      output: log.fd,
      detached: true,
    });
  } finally {
    await log.close();
  }
}

/** Waits until PostgreSQL accepts connections; false if it has ended. */
async function waitUntilReady(home: PostgresHome, isRunning: () => boolean | Promise<boolean>): Promise<boolean> {
  const deadline = Date.now() + startTimeoutMs;
  const address: Address = { socket: home.socket, database: 'postgres', user };
  while (await isRunning()) {
    if (await acceptsConnections(address)) return true;
    if (Date.now() > deadline)
      throw new StartupError(`PostgreSQL did not answer within ${startTimeoutMs / 1000} s; see ${home.log}`);
    await sleep(pauseMs);
  }
  return false;
}

async function acceptsConnections(address: Address): Promise<boolean> {
  const client = new pg.Client(clientConfig(address));
  client.on('error', () => undefined); // the connection is closed in any case
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

/** PostgreSQL's code for a database that another process has created in the meantime. */
const duplicateDatabase = '42P04';

const createDatabase = (address: Address): Promise<unknown> =>
  asAdministrator(address, (client) => client.query(`create database ${database}`)).catch((error) => {
    if (error.code !== duplicateDatabase) throw error;
  });

/**
 * Stops PostgreSQL with a fast shutdown, which ends sessions without loss of data. It doesn't touch another process with the same
 * id.
 */
async function stopProcess(pid: number, start: number | null): Promise<void> {
  if (!isProcessRunning(pid, start)) return;
  process.kill(pid, 'SIGINT');
  const deadline = Date.now() + stopTimeoutMs;
  while (isProcessRunning(pid, start)) {
    if (Date.now() > deadline) throw new Error(`PostgreSQL (pid ${pid}) did not stop within ${stopTimeoutMs / 1000} s`);
    await sleep(20);
  }
}
