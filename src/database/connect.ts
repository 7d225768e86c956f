import {
  type Compilable,
  type CompiledQuery,
  type Expression,
  type Kysely,
  sql,
  type Transaction,
  type TransactionSettings,
} from 'kysely';
import pg from 'pg';
import { initialValues } from '#lib/limits.ts';
import { withPreparations } from '#lib/preparation.ts';
import { StartupError } from '#lib/startup-error.ts';
import { sendChanges } from './change-signals.ts';
import { isOutdated, PreparingClient, type SlowStatement } from './client.ts';
import { databaseLimits } from './limits.ts';
import { openPipeline, type Pipeline } from './pipeline.ts';
import { connectionsOf, connectionsUntil, PooledKysely } from './pooled-kysely.ts';
import { type PreparedLimits, preparedStatements } from './prepared.ts';
import type { DB } from './tables.ts';
import { readTextArraysFast } from './text-array.ts';
import { sendSignals } from './work-signals.ts';

export type Db = Kysely<DB>;

/** A value, or an SQL expression for it, such as the id of a row that the same statement finds. */
export type OrSql<T> = T | Expression<T>;

declare const inChange: unique symbol;
/**
 * A transaction. Only `change` creates one, and all functions that write require one, so nothing is written outside of a
 * transaction.
 */
export type Tx = Transaction<DB> & { readonly [inChange]: true };

/** The address of PostgreSQL: a URL, or the folder of a Unix socket. */
export type Address = { url: string } | { socket: string; database: string; user: string };

export type Database = {
  db: Db;
  pool: pg.Pool;
  /** Sends the statements of requests, if they share connections. */
  pipeline?: Pipeline;
  /** For opening a connection outside the pool. */
  clientConfig: pg.ClientConfig;
  close(): Promise<void>;
};

const connectionTimeoutMs = 5_000;
export const defaultConnections = 20;
const keepAliveMs = 60_000;
/** Connections are opened on demand, and closed after this time without a statement. */
const idleConnectionMs = 10_000;
/**
 * Busy connections are closed regularly too, since only that frees PostgreSQL's caches of plans and catalogs, which take up to 20
 * MB for each connection.
 */
const connectionLifeSeconds = 300;

/** PostgreSQL's type `bigint[]`. pg has no name for it. */
const bigintArray: number = 1016;

// Ids and counts are far below 2^53, so a bigint arrives as a number, alone and in arrays.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
pg.types.setTypeParser(bigintArray, (text) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(Number)));
readTextArraysFast();
// A date has no time zone, so it remains a text, YYYY-MM-DD.
pg.types.setTypeParser(pg.types.builtins.DATE, (text) => text);

/** The pg settings of an address. TCP keep-alive detects a dead server after some minutes, not hours. */
export const clientConfig = (address: Address): pg.ClientConfig =>
  'url' in address
    ? { connectionString: address.url, keepAlive: true, keepAliveInitialDelayMillis: keepAliveMs }
    : { host: address.socket, database: address.database, user: address.user };

/** Milliseconds for one statement, and for a transaction between two statements. */
type Timeouts = { readonly statement: number; readonly idle: number };

export type PoolOptions = {
  max?: number | undefined;
  name?: string | undefined;
  /** Milliseconds to wait for a connection. */
  wait?: number | undefined;
  /** Omitted: no limits, for commands. */
  timeouts?: Timeouts | undefined;
  limits?: PreparedLimits;
  slowStatement?: SlowStatement;
  /** The bytes of the rows that one statement may read. Omitted: any number. */
  resultBytes?: number;
  /** Whether statements outside of transactions share connections. It suits short statements. */
  pipelining?: boolean;
};

/** Opens a pool of connections. It connects at the first query; see `checkConnection`. */
export function openDatabase(address: Address, options: PoolOptions = {}): Database {
  const { max = defaultConnections, name = 'hearth', wait = connectionTimeoutMs, timeouts, pipelining = false } = options;
  const shared = pipelining ? Math.min(maxShared, Math.floor(max / 4)) : 0;
  const settings = {
    ...clientConfig(address),
    application_name: name,
    connectionTimeoutMillis: wait,
    pipeline: true,
    prepared: preparedStatements(options.limits ?? initialValues(databaseLimits)),
    slowStatement: options.slowStatement,
    resultBytes: options.resultBytes,
  };
  const pool = new pg.Pool({
    ...settings,
    max: max - shared,
    idleTimeoutMillis: idleConnectionMs,
    maxLifetimeSeconds: connectionLifeSeconds,
    Client: PreparingClient,
    ...(timeouts ? { onConnect: (client) => setTimeouts(client, timeouts) } : {}),
  });
  // The pool replaces a broken idle connection at the next query.
  pool.on('error', () => undefined);
  // Without this listener, an error of a connection in use would end the process. Its query reports the error.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const config = clientConfig(address);
  if (shared === 0) {
    const db = new PooledKysely(connectionsOf(pool));
    return { db, pool, clientConfig: config, close: () => db.destroy() };
  }
  const connect = async (): Promise<PreparingClient> => {
    const client = new PreparingClient(settings);
    // Without a listener, the loss of the connection would end the process, even while the connection is being opened.
    client.on('error', () => undefined);
    await client.connect();
    if (timeouts) await setTimeouts(client, timeouts);
    // Otherwise PostgreSQL would plan small statements again on each use if their arrays are shorter than it assumes. Planning
    // takes longer than running them.
    await client.query('set plan_cache_mode = force_generic_plan');
    return client;
  };
  const pipeline = openPipeline({ pool, connect, maxConnections: shared });
  const db = new PooledKysely(connectionsOf(pool, pipeline));
  return { db, pool, pipeline, clientConfig: config, close: () => db.destroy() };
}

/** A database that refuses statements once `signal` is aborted. It uses the pool's connections. */
export const dbUntil = ({ pool }: Database, signal: AbortSignal): Db => new PooledKysely(connectionsUntil(pool, signal));

/** The number of shared connections. A single one carries some 10,000 small statements a second. */
const maxShared = 3;

/**
 * Sets the timeouts of a new connection. It uses a statement and not a startup parameter, since poolers such as PgBouncer refuse
 * those.
 */
async function setTimeouts(client: pg.ClientBase, { statement, idle }: Timeouts): Promise<void> {
  await client.query(`set statement_timeout = ${statement}; set idle_in_transaction_session_timeout = ${idle}`);
}

/**
 * Runs `work` in one transaction. It is committed when the promise resolves, and rolled back when it rejects. If `work` first
 * needs something slow (`PreparationNeeded`), it runs again in another transaction once that is done.
 */
export async function change<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  let tx: Tx | undefined;
  const result = await withPreparations(() =>
    transact(db, {}, (transaction) => {
      tx = transaction as Tx; // the only place that makes a `Tx`
      return work(tx);
    }),
  );
  sendSignals(db, tx);
  sendChanges(db, tx);
  return result;
}

/** Runs reads in one transaction. With a suitable isolation level, they all see the same snapshot of the database. */
export const readTogether = <T>(
  db: Db,
  { isolationLevel }: Pick<TransactionSettings, 'isolationLevel'>,
  work: (transaction: Transaction<DB>) => Promise<T>,
): Promise<T> => transact(db, { accessMode: 'read only', ...(isolationLevel ? { isolationLevel } : {}) }, work);

/** Runs `work` on one connection, as an advisory lock of a session requires. Transactions of `change` use the same connection. */
export const onOneConnection = <T>(db: Db, work: (db: Db) => Promise<T>): Promise<T> => pooled(db).onOneConnection(work);

const transact = <T>(db: Db, settings: TransactionSettings, work: (transaction: Transaction<DB>) => Promise<T>): Promise<T> =>
  pooled(db).transact(settings, work);

function pooled(db: Db): PooledKysely {
  if (!(db instanceof PooledKysely)) throw new Error('A transaction is in progress');
  return db;
}

/**
 * Sends a write of a transaction whose result nobody needs. It isn't awaited: it is sent with the statements around it, and the
 * transaction doesn't commit if it fails. It takes a statement and not a promise, since a statement that is sent later might miss
 * the transaction.
 */
export function sendUnawaited(tx: Tx, write: CompiledQuery | Compilable): void {
  tx.executeQuery(write).catch(() => undefined);
}

/** Checks that the database responds. @throws StartupError with one line for the operator */
export async function checkConnection({ db }: Database, name: string): Promise<void> {
  try {
    await sql`select 1`.execute(db);
  } catch (error) {
    throw new StartupError(`The database ${name} does not answer: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** PostgreSQL's code of a canceled statement. */
const canceled = '57014';

/** Whether PostgreSQL canceled a statement because of its timeout. */
export const isStatementTimeout = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === canceled;

/**
 * PostgreSQL's codes for a server that is starting or stopping, has ended the connection (for example of an idle transaction), or
 * has too many connections.
 */
const unavailableCodes: ReadonlySet<unknown> = new Set(['25P03', '53300', '57P01', '57P02', '57P03', '57P05', '08006']);
const connectionLost =
  /^(timeout expired$|timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error)/;
const connectSyscalls: ReadonlySet<unknown> = new Set(['connect', 'getaddrinfo']);
const brokenCodes: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT']);

/**
 * Whether an error is temporary, so that a retry may succeed: no connection was available, the connection broke, or the statement
 * must be prepared again.
 */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof Error &&
  (isOutdated(error) ||
    connectionLost.test(error.message) ||
    ('syscall' in error && (connectSyscalls.has(error.syscall) || ('code' in error && brokenCodes.has(error.code)))) ||
    ('code' in error && unavailableCodes.has(error.code)));
