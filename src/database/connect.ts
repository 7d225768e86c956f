import { AsyncLocalStorage } from 'node:async_hooks';
import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely';
import pg from 'pg';
import { type Gate, makeGate } from '#lib/gate.ts';
import { StartupError } from '#lib/startup-error.ts';
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
const usualConnections = 20;
/** Reads with a time budget may be slow. Together they take this share of the connections, so that others find one. */
const shareOfReads = 0.5;
const gates = new WeakMap<Db, Gate>();
/** The number of different SQL texts that are prepared. Each takes memory on every connection, so further ones aren't. */
const maxPrepared = 2_000;
/** Reads with a time budget are searches, whose texts follow the queries: they don't use up the others' number. */
const maxPreparedReads = 500;

/** PostgreSQL's type `bigint[]`, which pg has no name for. */
const bigintArray: number = 1016;

// Ids and counts are far below 2^53, so a bigint arrives as a number, alone and in arrays.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
pg.types.setTypeParser(bigintArray, (text) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(Number)));
// A day has no time zone: it stays the text that it is, YYYY-MM-DD.
pg.types.setTypeParser(pg.types.builtins.DATE, (text) => text);

/** The pg settings of an address. */
export const clientConfig = (address: Address): pg.ClientConfig =>
  'url' in address ? { connectionString: address.url } : { host: address.socket, database: address.database, user: address.user };

/** Opens a pool of connections. Nothing is connected before the first query; see `checkConnection`. */
export function openDatabase(address: Address, options: { max?: number; name?: string; wait?: number } = {}): Database {
  const max = options.max ?? usualConnections;
  const pool = new pg.Pool({
    ...clientConfig(address),
    max,
    application_name: options.name ?? 'hearth',
    connectionTimeoutMillis: options.wait ?? connectionTimeoutMs,
    Client: PreparingClient,
  });
  // An idle connection that breaks is replaced by the pool at the next query.
  pool.on('error', () => undefined);
  // Without this listener, a connection that breaks in use would end the process. Its query reports the error.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const db = new Kysely<DB>({ dialect: new PostgresDialect({ pool }) });
  gates.set(db, makeGate(Math.max(1, Math.floor(max * shareOfReads))));
  return { db, pool, clientConfig: clientConfig(address), close: () => db.destroy() };
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

type Prepared = { readonly letter: string; readonly most: number; readonly names: Map<string, string> };
const prepared: Prepared = { letter: 'h', most: maxPrepared, names: new Map() };
const preparedReads: Prepared = { letter: 'r', most: maxPreparedReads, names: new Map() };

/** The name under which a text is prepared; the same text has the same name on every connection. */
function preparedName(text: string, { letter, most, names }: Prepared): string | undefined {
  const known = names.get(text);
  if (known) return known;
  if (names.size >= most) return undefined;
  const name = `${letter}${names.size}`;
  names.set(text, name);
  return name;
}

const counting = new AsyncLocalStorage<{ statements: string[] }>();

/** Runs `work` and returns the statements that it sent, without `begin` and the like. Tests bound the number for each endpoint. */
export async function countStatements<T>(work: () => Promise<T>): Promise<{ result: T; statements: string[] }> {
  const counter = { statements: [] as string[] };
  // Awaited inside, since some work begins only when it is awaited (a request by `inject`) and would not be counted.
  const result = await counting.run(counter, async () => await work());
  return { result, statements: counter.statements };
}

const isControl = (text: unknown): boolean =>
  typeof text !== 'string' || /^(begin|commit|rollback|start|set|savepoint|release)/i.test(text);

/** When the statements of this context must end, and when the connection was told so last. */
type Deadline = { readonly until: number; told: number };
const deadlines = new AsyncLocalStorage<Deadline>();

/** Milliseconds after which PostgreSQL is told again how much time is left. Faster searches need no further round trip for it. */
const tolerance = 20;

/** A client that prepares each parameterised statement once, so that PostgreSQL parses and plans it once. */
class PreparingClient extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: pg overloads query() in eight ways; this only adds a name on the way through
  override query(first: any, ...rest: any[]): any {
    const text: string = typeof first === 'string' ? first : first?.text;
    if (!isControl(text)) counting.getStore()?.statements.push(text);
    const deadline = deadlines.getStore();
    if (deadline && !isControl(text) && performance.now() - deadline.told > tolerance) {
      return this.#hasten(deadline).then(() => this.#send(first, rest));
    }
    return this.#send(first, rest);
  }

  /** Limits the next statement to the time that is left. */
  async #hasten(deadline: Deadline): Promise<void> {
    const left = deadline.until - performance.now();
    if (left <= 0) throw new TimeBudgetExceeded();
    deadline.told = performance.now();
    await super.query(`set local statement_timeout = ${Math.ceil(left)}`);
  }

  // biome-ignore lint/suspicious/noExplicitAny: as above
  #send(first: any, rest: any[]): any {
    if (typeof first === 'string' && Array.isArray(rest[0]) && rest[0].length > 0) {
      const name = preparedName(first, deadlines.getStore() ? preparedReads : prepared);
      if (name) return super.query({ name, text: first, values: rest[0] }, ...(rest.slice(1) as []));
    }
    return super.query(first, ...(rest as []));
  }
}

/** The time of a search is over. Its connection is free again. */
export class TimeBudgetExceeded extends Error {}

const canceled = '57014';

/**
 * Runs reads within a number of milliseconds, which PostgreSQL itself enforces. It is for all statements together, and includes
 * the wait for a connection.
 */
export async function withTimeBudget<T>(db: Db, milliseconds: number, work: (tx: Transaction<DB>) => Promise<T>): Promise<T> {
  const deadline: Deadline = { until: performance.now() + milliseconds, told: Number.NEGATIVE_INFINITY };
  const gate = gates.get(db);
  const leave = await gate?.enter(milliseconds);
  if (gate && !leave) throw new TimeBudgetExceeded();
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new TimeBudgetExceeded()), deadline.until - performance.now());
  const reading = deadlines
    .run(deadline, () =>
      db
        .transaction()
        .setAccessMode('read only')
        .execute((tx) => {
          clearTimeout(timer);
          return work(tx);
        }),
    )
    .finally(() => leave?.());
  // A connection that is found too late goes back at its first statement, and nobody waits for that.
  reading.catch(() => undefined);
  try {
    return await Promise.race([reading, tooLate]);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === canceled) throw new TimeBudgetExceeded();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** PostgreSQL's codes of a server that starts, stops, or has no connection left. */
const awayCodes: ReadonlySet<unknown> = new Set(['53300', '57P01', '57P02', '57P03']);
const lost = /^(timeout exceeded when trying to connect|Connection terminated)/;

/** Whether an error says that no connection was to be had: too many wait for one, or the database doesn't answer. */
export const isAway = (error: unknown): boolean =>
  error instanceof Error &&
  (lost.test(error.message) ||
    ('syscall' in error && error.syscall === 'connect') ||
    ('code' in error && awayCodes.has(error.code)));
