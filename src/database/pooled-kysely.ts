import {
  CompiledQuery,
  type ConnectionProvider,
  type DatabaseConnection,
  DefaultQueryExecutor,
  type Dialect,
  type Driver,
  Kysely,
  PostgresDialect,
  type QueryResult,
  Transaction,
  type TransactionSettings,
} from 'kysely';
import pg from 'pg';
import { cancelStatement } from './cancel-statement.ts';
import type { Pipeline } from './pipeline.ts';
import type { DB } from './tables.ts';

/** A source of connections. */
type Connections = {
  connect(): Promise<pg.ClientBase>;
  /** @param isBroken whether the connection can't be used again */
  release(client: pg.ClientBase, isBroken: boolean): void;
  /** Sends statements outside of transactions, if they share connections. */
  readonly pipeline?: Pipeline | undefined;
  /** After it is aborted, statements are refused with its reason. A transaction in progress is rolled back. */
  readonly signal?: AbortSignal | undefined;
  close(): Promise<void>;
};

/** The connections of a pool. */
export const connectionsOf = (pool: pg.Pool, pipeline?: Pipeline): Connections => ({
  connect: () => pool.connect(),
  release: (client, isBroken) => (client as pg.PoolClient).release(isBroken), // `connect` returned it
  pipeline,
  async close() {
    if (!pool.ending) await Promise.all([pool.end(), pipeline?.close()]);
  },
});

/**
 * The connections of a pool until `signal` is aborted, which also cancels running statements. The cancel request may arrive after
 * its statement has ended, and would cancel another caller's statement. So these connections aren't used again.
 */
export function connectionsUntil(pool: pg.Pool, signal: AbortSignal): Connections {
  const inUse = new Set<pg.ClientBase>();
  const { release, close } = connectionsOf(pool);
  signal.addEventListener('abort', () => {
    for (const client of inUse) cancelStatement(client);
  });
  return {
    signal,
    close,
    async connect() {
      signal.throwIfAborted();
      const client = await pool.connect();
      inUse.add(client);
      return client;
    },
    release(client, isBroken) {
      inUse.delete(client);
      release(client, isBroken || signal.aborted);
    },
  };
}

/**
 * Kysely on a pool of connections. Kysely's own transactions send a statement after the reply to the previous one. Those of
 * `transact` send immediately, so that concurrent statements take one round trip.
 */
export class PooledKysely extends Kysely<DB> {
  readonly #connections: Connections;
  readonly #inTransaction: (connection: TransactionConnection) => Transaction<DB>;

  constructor(connections: Connections) {
    const driver = new PooledDriver(connections);
    const dialect: Dialect = {
      createAdapter: () => postgres.createAdapter(),
      createIntrospector: (db) => postgres.createIntrospector(db),
      createQueryCompiler: () => postgres.createQueryCompiler(),
      createDriver: () => driver,
    };
    const executorOf = (provider: ConnectionProvider) =>
      new DefaultQueryExecutor(dialect.createQueryCompiler(), dialect.createAdapter(), provider);
    const props = { config: { dialect }, dialect, driver };
    super({ ...props, executor: executorOf({ provideConnection: (consumer) => driver.provideConnection(consumer) }) });
    this.#connections = connections;
    this.#inTransaction = (connection) =>
      new Transaction<DB>({ ...props, executor: executorOf({ provideConnection: (consumer) => consumer(connection) }) });
  }

  /**
   * Runs `work` in one transaction. It is committed when the promise resolves, and rolled back when it rejects. Statements that
   * `work` hasn't awaited belong to it: if one of them fails, so does the commit.
   */
  async transact<T>(settings: TransactionSettings, work: (transaction: Transaction<DB>) => Promise<T>): Promise<T> {
    const connection = new TransactionConnection(this.#connections, await this.#connections.connect(), settings);
    try {
      const result = await work(this.#inTransaction(connection));
      await connection.commit();
      return result;
    } catch (error) {
      throw connection.causeOf(error);
    } finally {
      await connection.end();
    }
  }

  /**
   * Runs `work` on one connection, with transactions and statements outside of them, as an advisory lock of a session requires.
   */
  async onOneConnection<T>(work: (db: PooledKysely) => Promise<T>): Promise<T> {
    const client = await this.#connections.connect();
    let isBroken = false;
    const one: Connections = {
      signal: this.#connections.signal,
      connect: async () => client,
      release(_client, isBrokenNow) {
        isBroken ||= isBrokenNow;
      },
      close: async () => undefined,
    };
    try {
      return await work(new PooledKysely(one));
    } finally {
      this.#connections.release(client, isBroken);
    }
  }
}

/** It only provides the parts of the dialect that need no connection. */
const postgres = new PostgresDialect({ pool: () => Promise.reject(new Error('The dialect has no connections')) });

/** A transaction on a connection of the pool. Its `begin` is sent together with its first statement. */
class TransactionConnection implements DatabaseConnection {
  readonly #connections: Connections;
  readonly #client: pg.ClientBase;
  readonly #unanswered = new Set<Promise<unknown>>();
  readonly #isReadOnly: boolean;
  /** The error of the first statement that failed, after which PostgreSQL refuses all others. */
  #failure: unknown;
  #isOpen = true;
  #isEnded = false;

  constructor(connections: Connections, client: pg.ClientBase, { isolationLevel, accessMode }: TransactionSettings) {
    this.#connections = connections;
    this.#client = client;
    this.#isReadOnly = accessMode === 'read only';
    const begin = ['begin', isolationLevel ? `isolation level ${isolationLevel}` : '', accessMode ?? ''];
    // It isn't awaited: its failure fails the transaction, and `commit` reports it.
    this.#send(CompiledQuery.raw(begin.filter((part) => part !== '').join(' '))).catch(() => undefined);
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    if (!this.#isOpen) throw new Error('The transaction has ended');
    this.#connections.signal?.throwIfAborted();
    return resultOf<Row>(await this.#send(query));
  }

  async #send({ sql, parameters }: CompiledQuery): Promise<pg.QueryResult> {
    const sent = this.#client.query(sql, [...parameters]);
    this.#unanswered.add(sent);
    try {
      return await sent;
    } catch (error) {
      this.#failure ??= error;
      throw error;
    } finally {
      this.#unanswered.delete(sent);
    }
  }

  /** @throws the error of a failed statement, whether or not anybody awaited it */
  async commit(): Promise<void> {
    this.#isOpen = false;
    this.#checkComplete();
    const { command } = await this.#send(commit);
    this.#isEnded = true;
    // PostgreSQL answers COMMIT with ROLLBACK if a statement of the transaction failed.
    if (command !== 'COMMIT') throw this.#failure ?? new Error('The transaction was rolled back');
    this.#checkComplete();
  }

  /**
   * Refuses to commit if a write is missing. PostgreSQL knows neither of a statement that couldn't be sent, nor of statements in
   * a transaction whose `begin` has failed. Transactions that only read may skip a reply, such as a search that timed out.
   */
  #checkComplete(): void {
    if (this.#failure !== undefined && !this.#isReadOnly) throw this.#failure;
  }

  /** The error behind this one. If a statement fails, the statements that were sent after it are refused because of it. */
  causeOf(error: unknown): unknown {
    const isConsequence = error instanceof pg.DatabaseError && this.#failure instanceof pg.DatabaseError;
    return isConsequence ? this.#failure : error;
  }

  /** Rolls back uncommitted changes, and releases the connection. */
  async end(): Promise<void> {
    this.#isOpen = false;
    const isClosed = this.#isEnded || (await this.#send(rollback).then(...toBoolean));
    await Promise.allSettled(this.#unanswered);
    // A connection that can't be rolled back isn't used again.
    this.#connections.release(this.#client, !isClosed);
  }

  streamQuery(): never {
    return noCursors();
  }
}

const commit = CompiledQuery.raw('commit');
const rollback = CompiledQuery.raw('rollback');
const toBoolean = [() => true, () => false] as const;
const noCursors = (): never => {
  throw new Error('Rows are not read by cursors');
};

/** Connections for statements outside of transactions. */
class PooledDriver implements Driver {
  readonly #connections: Connections;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  async provideConnection<T>(consumer: (connection: DatabaseConnection) => Promise<T>): Promise<T> {
    const { pipeline } = this.#connections;
    if (pipeline) return consumer(sharedConnection(pipeline));
    const client = await this.#connections.connect();
    try {
      return await consumer(connectionBy(({ sql, parameters }) => client.query(sql, [...parameters])));
    } finally {
      this.#connections.release(client, false);
    }
  }

  destroy(): Promise<void> {
    return this.#connections.close();
  }

  async init(): Promise<void> {
    // The pool connects at the first statement.
  }

  // Required for Kysely's own transactions and controlled connections.
  acquireConnection = unused;
  beginTransaction = unused;
  commitTransaction = unused;
  rollbackTransaction = unused;
  releaseConnection = unused;
}

const unused = (): never => {
  throw new Error('Transactions are run by `transact`');
};

/** A connection that sends statements with `send`. */
const connectionBy = (send: (query: CompiledQuery) => Promise<pg.QueryResult>): DatabaseConnection => ({
  executeQuery: async <Row>(query: CompiledQuery) => resultOf<Row>(await send(query)),
  streamQuery: noCursors,
});

/** A connection for one statement, shared with others. */
function sharedConnection(pipeline: Pipeline): DatabaseConnection {
  let isUsed = false;
  return connectionBy(async ({ sql, parameters }) => {
    // `db.connection()` requires the same connection throughout, which a pipeline doesn't guarantee.
    if (isUsed) throw new Error('Several statements on one connection need a transaction');
    isUsed = true;
    return pipeline.query(sql, parameters);
  });
}

const rowsChangedBy: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

const resultOf = <Row>({ command, rowCount, rows }: pg.QueryResult): QueryResult<Row> => ({
  rows: rows ?? [],
  ...(rowsChangedBy.has(command) ? { numAffectedRows: BigInt(rowCount ?? 0) } : {}),
});
