import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresDialect,
  type QueryResult,
  type TransactionSettings,
} from 'kysely';
import type pg from 'pg';
import type { Pipeline } from './pipeline.ts';

/**
 * PostgreSQL for requests: statements outside of transactions share connections by a pipeline; a transaction takes a connection of the
 * pool, and its `begin` is sent together with its first statement.
 */
export function pipeliningDialect(pool: pg.Pool, pipeline: Pipeline): Dialect {
  const postgres = new PostgresDialect({ pool });
  return {
    createAdapter: () => postgres.createAdapter(),
    createIntrospector: (db) => postgres.createIntrospector(db),
    createQueryCompiler: () => postgres.createQueryCompiler(),
    createDriver: () => new PipeliningDriver(pool, pipeline),
  };
}

class PipeliningDriver implements Driver {
  readonly #pool: pg.Pool;
  readonly #pipeline: Pipeline;

  constructor(pool: pg.Pool, pipeline: Pipeline) {
    this.#pool = pool;
    this.#pipeline = pipeline;
  }

  async init(): Promise<void> {
    // The pool connects at the first statement.
  }

  /** Nothing is taken yet, since it isn't known whether a transaction or a single statement follows. */
  async acquireConnection(): Promise<RequestConnection> {
    return new RequestConnection(this.#pool, this.#pipeline);
  }

  async beginTransaction(connection: RequestConnection, settings: TransactionSettings): Promise<void> {
    await connection.begin(settings);
  }

  async commitTransaction(connection: RequestConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'));
  }

  async rollbackTransaction(connection: RequestConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('rollback'));
  }

  async releaseConnection(connection: RequestConnection): Promise<void> {
    connection.release();
  }

  async destroy(): Promise<void> {
    await Promise.all([this.#pool.end(), this.#pipeline.close()]);
  }
}

const rowsChangedBy: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

class RequestConnection implements DatabaseConnection {
  readonly #pool: pg.Pool;
  readonly #pipeline: Pipeline;
  #client: pg.PoolClient | undefined;
  #used = false;

  constructor(pool: pg.Pool, pipeline: Pipeline) {
    this.#pool = pool;
    this.#pipeline = pipeline;
  }

  async begin({ isolationLevel, accessMode }: TransactionSettings): Promise<void> {
    this.#client = await this.#pool.connect();
    const options = [isolationLevel ? `isolation level ${isolationLevel}` : '', accessMode ?? ''].filter(
      (option) => option !== '',
    );
    // Isn't awaited: it can only fail with the connection, which the next statement tells.
    this.#client.query(['begin', ...options].join(' ')).catch(() => undefined);
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    // The connection of `db.connection()` would have to stay the same, which a pipeline doesn't promise.
    if (!this.#client && this.#used) throw new Error('Several statements on one connection need a transaction');
    this.#used = true;
    const result = await (this.#client ? this.#client.query(sql, [...parameters]) : this.#pipeline.query(sql, parameters));
    const { command, rowCount, rows } = result;
    return { rows: rows ?? [], ...(rowsChangedBy.has(command) ? { numAffectedRows: BigInt(rowCount ?? 0) } : {}) };
  }

  // biome-ignore lint/correctness/useYield: nothing here reads by cursors
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('Requests read no cursors');
  }

  release(): void {
    this.#client?.release();
    this.#client = undefined;
  }
}
