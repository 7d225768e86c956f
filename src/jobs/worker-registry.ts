import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Database } from '#database/connect.ts';

/** Any number will do that no other pair of advisory locks begins with. */
const lockClass = 7_261_003;
const callEveryMs = 60_000;
const reconnectEveryMs = 1_000;

/**
 * Knows which workers are alive, and frees the jobs of dead ones: at each start, and every minute. (The queue itself would wait
 * four hours.) Each worker holds an advisory lock under its name, which ends with its process, however that dies. Where PostgreSQL
 * went away, the locks are taken again as soon as it is back.
 */
export type WorkerRegistry = {
  register(worker: string): void;
  /** Ends a worker's entry. What it left undone is free at the next call. */
  deregister(worker: string): void;
  close(): Promise<void>;
};

/** Opens a connection for the registry. `back` is told whenever PostgreSQL was away and is there again. */
export async function openWorkerRegistry(database: Database, back: () => void = () => undefined): Promise<WorkerRegistry> {
  const own = new Set<string>();
  let left = false;
  // One connection answers one statement at a time.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = (work: () => Promise<unknown>): Promise<unknown> => {
    last = last.then(work, work);
    return last;
  };

  const connect = async (): Promise<pg.Client> => {
    const fresh = new pg.Client({ ...database.clientConfig, application_name: 'hearth workers' });
    fresh.on('error', () => undefined); // its end follows
    await fresh.connect();
    return fresh;
  };
  const watch = (): void => void client.once('end', () => void (left || inTurn(reconnect)));
  const reconnect = async (): Promise<void> => {
    for (; !left; await sleep(reconnectEveryMs)) {
      try {
        client = await connect();
        for (const worker of own) await lock(worker);
        await call();
      } catch {
        await client.end().catch(() => undefined); // it is still away
        continue;
      }
      watch();
      return back();
    }
  };
  let client = await connect();

  const lock = (worker: string) => client.query('select pg_advisory_lock($1, hashtext($2))', [lockClass, worker]);
  const unlock = (worker: string) => client.query('select pg_advisory_unlock($1, hashtext($2))', [lockClass, worker]);
  const call = async (): Promise<void> => {
    const { rows } = await client.query<{ worker: string }>(
      'select distinct locked_by as worker from jobs._private_jobs where locked_by is not null',
    );
    const others = rows.map(({ worker }) => worker).filter((worker) => !own.has(worker));
    const dead: string[] = [];
    for (const worker of others) {
      const { rows: taken } = await client.query<{ free: boolean }>('select pg_try_advisory_lock($1, hashtext($2)) as free', [
        lockClass,
        worker,
      ]);
      if (!taken[0]?.free) continue;
      dead.push(worker);
      await unlock(worker);
    }
    if (dead.length > 0) await client.query('select jobs.force_unlock_workers($1)', [dead]);
  };
  // What fails because the connection broke is done again by `reconnect`.
  const mayFail = (work: () => Promise<unknown>): void => void inTurn(work).catch(() => undefined);
  await call();
  watch();
  const timer = setInterval(() => mayFail(call), callEveryMs);
  timer.unref();
  return {
    register(worker) {
      own.add(worker);
      mayFail(() => lock(worker));
    },
    deregister(worker) {
      own.delete(worker);
      mayFail(() => unlock(worker));
      mayFail(call);
    },
    async close() {
      left = true;
      clearInterval(timer);
      await inTurn(() => client.end());
    },
  };
}
