import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Database } from '#database/connect.ts';
import { type WorkKind, workChannel } from '#database/work-signals.ts';
import { noteInterruptedJobs } from './interrupted-jobs.ts';

/** The first key of this module's advisory locks. No other lock of two keys begins with it. */
const lockClass = 7_261_003;
const checkEveryMs = 60_000;
const reconnectEveryMs = 1_000;

/**
 * Detects dead workers and unlocks their jobs, which run again, at each start and every minute. (The queue itself does so after
 * four hours.) Each worker holds an advisory lock on its name, which PostgreSQL releases when its process ends in any way. After
 * a lost connection, the locks are taken again.
 */
type WorkerRegistry = {
  register(worker: string): void;
  /** Releases a worker's lock, and unlocks its unfinished jobs. */
  deregister(worker: string): void;
  close(): Promise<void>;
};

type RegistryEvents = {
  /** Called after a lost connection was reopened. */
  readonly onReconnect?: () => void;
  /** Called when a process signals work. */
  readonly onSignal?: (kinds: readonly WorkKind[]) => void;
};

/** Opens a connection for the registry, which also receives work signals. */
export async function openWorkerRegistry(
  database: Database,
  { onReconnect, onSignal }: RegistryEvents = {},
): Promise<WorkerRegistry> {
  const own = new Set<string>();
  /** Workers of this process whose connections were lost. The process still runs, so their jobs haven't ended it. */
  const former = new Set<string>();
  let closed = false;
  // All statements run one after the other on one connection.
  let last: Promise<unknown> = Promise.resolve();
  const serialize = (work: () => Promise<unknown>): Promise<unknown> => {
    last = last.then(work, work);
    return last;
  };

  const connect = async (): Promise<pg.Client> => {
    const connection = new pg.Client({ ...database.clientConfig, application_name: 'hearth workers' });
    connection.on('error', () => undefined); // the event `end` follows
    // in the format that senders use
    connection.on('notification', ({ payload = '' }) => onSignal?.(payload.split(',') as WorkKind[]));
    await connection.connect();
    if (onSignal) await connection.query(`listen ${workChannel}`);
    return connection;
  };
  const reconnectOnEnd = (): void => void client.once('end', () => void (closed || serialize(reconnect)));
  const reconnect = async (): Promise<void> => {
    for (; !closed; await sleep(reconnectEveryMs)) {
      try {
        client = await connect();
        for (const worker of own) await lock(worker);
        await unlockDeadWorkers();
      } catch {
        await client.end().catch(() => undefined); // PostgreSQL is still unreachable
        continue;
      }
      reconnectOnEnd();
      onReconnect?.();
      return;
    }
  };
  let client = await connect();

  const lock = (worker: string) => client.query('select pg_advisory_lock($1, hashtext($2))', [lockClass, worker]);
  const unlock = (worker: string) => client.query('select pg_advisory_unlock($1, hashtext($2))', [lockClass, worker]);
  const unlockDeadWorkers = async (): Promise<void> => {
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
    if (dead.length === 0) return;
    await noteInterruptedJobs(
      client,
      dead.filter((worker) => !former.has(worker)),
    );
    await client.query('select jobs.force_unlock_workers($1)', [dead]);
  };
  // Statements that fail with the connection are repeated by `reconnect`.
  const mayFail = (work: () => Promise<unknown>): void => void serialize(work).catch(() => undefined);
  await unlockDeadWorkers();
  reconnectOnEnd();
  const timer = setInterval(() => mayFail(unlockDeadWorkers), checkEveryMs);
  timer.unref();
  return {
    register(worker) {
      own.add(worker);
      mayFail(() => lock(worker));
    },
    deregister(worker) {
      own.delete(worker);
      former.add(worker);
      mayFail(() => unlock(worker));
      mayFail(unlockDeadWorkers);
    },
    async close() {
      closed = true;
      clearInterval(timer);
      await serialize(() => client.end());
    },
  };
}
