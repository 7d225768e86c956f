import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely';
import pg from 'pg';
import { resourceLimits } from '#lib/limits.ts';
import { StartupError } from '#lib/startup-error.ts';
import { isOutdated, PreparingClient } from './client.ts';
import { type PreparedLimits, preparedStatements } from './prepared.ts';
import type { DB } from './tables.ts';

export type Db = Kysely<DB>;

declare const inChange: unique symbol;
/** A transaction. Only `change` makes one, and every function that writes takes one, so no write can happen outside. */
export type Tx = Transaction<DB> & { readonly [inChange]: true };

/** Where PostgreSQL answers: a URL, or the folder of a Unix socket. */
export type Address = { url: string } | { socket: string; database: string; user: string };

export type Database = {
  db: Db;
  pool: pg.Pool;
  /** For opening a connection outside the pool. */
  clientConfig: pg.ClientConfig;
  close(): Promise<void>;
};

const connectionTimeoutMs = 5_000;
export const defaultConnections = 20;
const keepAliveMs = 60_000;

/** PostgreSQL's type `bigint[]`, which pg has no name for. */
const bigintArray: number = 1016;

// Ids and counts are far below 2^53, so a bigint arrives as a number, alone and in arrays.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
pg.types.setTypeParser(bigintArray, (text) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(Number)));
// A day has no time zone: it stays the text that it is, YYYY-MM-DD.
pg.types.setTypeParser(pg.types.builtins.DATE, (text) => text);

/** The pg settings of an address. A server that vanished without a word is noticed after some minutes, not after hours. */
export const clientConfig = (address: Address): pg.ClientConfig =>
  'url' in address
    ? { connectionString: address.url, keepAlive: true, keepAliveInitialDelayMillis: keepAliveMs }
    : { host: address.socket, database: address.database, user: address.user };

/** How long PostgreSQL works on one statement, and how long a transaction may wait between two of them, in milliseconds. */
export type Timeouts = { readonly statement: number; readonly idle: number };

export type PoolOptions = {
  max?: number | undefined;
  name?: string | undefined;
  /** Milliseconds to wait for a connection. */
  wait?: number | undefined;
  /** No limits where they are missing: for commands, which take as long as they take. */
  timeouts?: Timeouts | undefined;
  limits?: PreparedLimits;
};

/** Opens a pool of connections. Nothing is connected before the first query; see `checkConnection`. */
export function openDatabase(address: Address, options: PoolOptions = {}): Database {
  const { max = defaultConnections, name = 'hearth', wait = connectionTimeoutMs, timeouts } = options;
  const pool = new pg.Pool({
    ...clientConfig(address),
    max,
    application_name: name,
    connectionTimeoutMillis: wait,
    Client: PreparingClient,
    ...{ prepared: preparedStatements(options.limits ?? resourceLimits().database) }, // read by the client, unknown to the pool
    ...(timeouts ? { onConnect: (client) => setTimeouts(client, timeouts) } : {}),
  });
  // An idle connection that breaks is replaced by the pool at the next query.
  pool.on('error', () => undefined);
  // Without this listener, a connection that breaks in use would end the process. Its query reports the error.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const db = new Kysely<DB>({ dialect: new PostgresDialect({ pool }) });
  return { db, pool, clientConfig: clientConfig(address), close: () => db.destroy() };
}

/**
 * Limits the statements of a new connection, once for as long as it lives. As a statement and not in the parameters of the
 * connection's start, which poolers as PgBouncer refuse.
 */
async function setTimeouts(client: pg.ClientBase, { statement, idle }: Timeouts): Promise<void> {
  await client.query(`set statement_timeout = ${statement}; set idle_in_transaction_session_timeout = ${idle}`);
}

/** Runs a change in one transaction: all of it is durable when the promise resolves, and nothing of it when it rejects. */
export const change = <T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> =>
  db.transaction().execute((transaction) => work(transaction as Tx)); // the brand's one source

/** Makes sure that the database answers. Throws a StartupError with one line for the operator. */
export async function checkConnection({ db }: Database, name: string): Promise<void> {
  try {
    await sql`select 1`.execute(db);
  } catch (error) {
    throw new StartupError(`The database ${name} does not answer: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** PostgreSQL's code of a statement that was stopped. */
const canceled = '57014';

/** Whether PostgreSQL stopped a statement since its time was over. */
export const isStatementTimeout = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === canceled;

/** PostgreSQL's codes of a server that starts, stops, ends a connection (as one whose transaction was idle), or has none left. */
const awayCodes: ReadonlySet<unknown> = new Set(['25P03', '53300', '57P01', '57P02', '57P03', '57P05', '08006']);
const lost = /^(timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error)/;
const toConnect: ReadonlySet<unknown> = new Set(['connect', 'getaddrinfo']);
const brokenCodes: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT']);

/**
 * Whether an error says that the same would work in a moment: no connection was to be had, since too many wait for one or the
 * database doesn't answer; or the statement is about to be prepared anew.
 */
export const isAway = (error: unknown): boolean =>
  error instanceof Error &&
  (isOutdated(error) ||
    lost.test(error.message) ||
    ('syscall' in error && (toConnect.has(error.syscall) || ('code' in error && brokenCodes.has(error.code)))) ||
    ('code' in error && awayCodes.has(error.code)));
