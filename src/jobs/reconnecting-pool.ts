import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { isAway } from '#database/connect.ts';

const pauseMs = 500;

/** The queue's statements that take or end a job, by the names that it prepares them under. They may run twice. */
const aboutJob = /^(get|complete|fail)_job/;

type Statement = string | pg.QueryConfig;

export type ReconnectingPool = {
  pool: pg.Pool;
  /** Resolves when the statements that are waiting or under way now have been answered. */
  whenIdle(): Promise<void>;
};

/**
 * The pool as the job queue gets it. The queue doesn't wait for the statements that end a job, so that one that fails would end the
 * process. Here they are sent until PostgreSQL takes them, however long it is away or all connections are in use.
 *
 * With `stopping` the patience ends: `abandoned` is called, and the statement's promise stays open.
 */
export function reconnectingPool(pool: pg.Pool, stopping: AbortSignal, abandoned: () => void): ReconnectingPool {
  const out = new Set<Promise<void>>();
  const whenBack = async <T>(work: () => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!isAway(error)) throw error;
      }
      if (stopping.aborted) {
        abandoned();
        return Promise.withResolvers<T>().promise;
      }
      await sleep(pauseMs);
    }
  };
  const connect = async (): Promise<pg.PoolClient> => {
    const { promise: released, resolve } = Promise.withResolvers<void>();
    out.add(released);
    const end = (): void => {
      out.delete(released);
      resolve();
    };
    const client = await whenBack(() => pool.connect()).catch((error) => {
      end();
      throw error;
    });
    return withOwn(client, {
      async query(statement: Statement, values?: unknown[]): Promise<pg.QueryResult> {
        try {
          return await client.query(statement, values);
        } catch (error) {
          if (!isAway(error) || !aboutJob.test(nameOf(statement))) throw error;
          return whenBack(() => pool.query(statement, values));
        }
      },
      release() {
        client.release();
        end();
      },
    });
  };
  return {
    pool: withOwn(pool, {
      // With a callback, it is for listening, which the queue repairs by itself.
      connect: (...callback: Parameters<typeof pool.connect>) => (callback.length > 0 ? pool.connect(...callback) : connect()),
    }),
    async whenIdle() {
      await Promise.all(out);
    },
  };
}

const nameOf = (statement: Statement): string => (typeof statement === 'string' ? '' : (statement.name ?? ''));

/** An object with methods replaced. */
const withOwn = <T extends object>(object: T, methods: { readonly [name: string | symbol]: unknown }): T =>
  new Proxy(object, {
    get(target, key) {
      if (Object.hasOwn(methods, key)) return methods[key];
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
