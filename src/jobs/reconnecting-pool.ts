import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { isUnavailable } from '#database/connect.ts';

const pauseMs = 500;

/** The names of the queue's prepared statements that take or end a job. They may run twice safely. */
const jobStatement = /^(get|complete|fail)_job/;

type Statement = string | pg.QueryConfig;

type ReconnectingPool = {
  pool: pg.Pool;
  /** Resolves when all connections that are now in use are released. */
  whenIdle(): Promise<void>;
};

/**
 * The pool for the job queue. The queue doesn't await the statements that end a job, so a failure would crash the process. This
 * pool retries them until they succeed, for as long as PostgreSQL can't be reached or all connections are in use.
 *
 * After `stopping` is aborted, it doesn't retry: it calls `onAbandoned`, and the statement's promise stays pending.
 */
export function reconnectingPool(pool: pg.Pool, stopping: AbortSignal, onAbandoned: () => void): ReconnectingPool {
  const checkedOut = new Set<Promise<void>>();
  const retryUntilConnected = async <T>(work: () => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!isUnavailable(error)) throw error;
      }
      if (stopping.aborted) {
        onAbandoned();
        return Promise.withResolvers<T>().promise;
      }
      await sleep(pauseMs);
    }
  };
  const connect = async (): Promise<pg.PoolClient> => {
    const { promise: released, resolve } = Promise.withResolvers<void>();
    checkedOut.add(released);
    const end = (): void => {
      checkedOut.delete(released);
      resolve();
    };
    const client = await retryUntilConnected(() => pool.connect()).catch((error) => {
      end();
      throw error;
    });
    return withMethods(client, {
      async query(statement: Statement, values?: unknown[]): Promise<pg.QueryResult> {
        try {
          return await client.query(statement, values);
        } catch (error) {
          if (!isUnavailable(error) || !jobStatement.test(nameOf(statement))) throw error;
          return retryUntilConnected(() => pool.query(statement, values));
        }
      },
      release() {
        client.release();
        end();
      },
    });
  };
  return {
    pool: withMethods(pool, {
      // The queue passes a callback for its LISTEN connection, which it reconnects itself.
      connect: (...callback: Parameters<typeof pool.connect>) => (callback.length > 0 ? pool.connect(...callback) : connect()),
    }),
    async whenIdle() {
      await Promise.all(checkedOut);
    },
  };
}

const nameOf = (statement: Statement): string => (typeof statement === 'string' ? '' : (statement.name ?? ''));

/** A proxy for an object with some methods replaced. */
const withMethods = <T extends object>(object: T, methods: { readonly [name: string | symbol]: unknown }): T =>
  new Proxy(object, {
    get(target, key) {
      if (Object.hasOwn(methods, key)) return methods[key];
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
