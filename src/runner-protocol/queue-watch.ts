import pg from 'pg';
import type { Database } from '#database/connect.ts';

/** Wakes requests that wait for a job when new jobs may exist. */
export type QueueWatch = {
  /** Increases whenever jobs may be waiting. While a version is unchanged, there is nothing new. */
  version(): bigint;
  /** Whether the version is current. Nothing listens before the first waiting call, or while the connection is lost. */
  isLive(): boolean;
  /** Resolves when the version changes, after `milliseconds`, or when the signal is aborted. */
  changed(since: bigint, milliseconds: number, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
};

/** In milliseconds: how long the queue's signals are trusted, and the pause after a lost connection. */
const distrustAfter = 30_000;
const reconnectAfter = 1_000;

/**
 * Listens to a channel of PostgreSQL on its own connection, from the first waiting call on. While the connection is lost, and
 * periodically in any case, the version increases by itself, so a lost message only causes a delay.
 */
export function watchQueue({ clientConfig }: Pick<Database, 'clientConfig'>, channel: string): QueueWatch {
  let version = BigInt(Date.now());
  let client: pg.Client | undefined;
  let isClosed = false;
  let isLive = false;
  const waiting = new Set<() => void>();
  const timers = new Set<NodeJS.Timeout>();

  const grow = (): void => {
    version += 1n;
    for (const wake of [...waiting]) wake();
  };
  const later = (work: () => void, milliseconds: number): void => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      work();
    }, milliseconds);
    timer.unref();
    timers.add(timer);
  };
  const listen = async (): Promise<void> => {
    if (isClosed) return;
    const own = new pg.Client({ ...clientConfig, application_name: 'hearth queue' });
    client = own;
    const lost = (): void => {
      if (client !== own) return;
      client = undefined;
      isLive = false;
      own.end().catch(() => undefined);
      grow();
      if (waiting.size > 0) later(() => void listen(), reconnectAfter);
    };
    own.on('error', lost);
    own.on('end', lost);
    own.on('notification', grow);
    try {
      await own.connect();
      await own.query(`listen ${pg.escapeIdentifier(channel)}`);
      isLive = client === own;
      grow(); // earlier messages may be lost
    } catch {
      lost();
    }
  };

  return {
    version: () => version,
    isLive: () => isLive,
    async changed(since, milliseconds, signal) {
      if (version !== since || signal.aborted) return;
      if (!client) void listen();
      if (timers.size === 0) later(grow, distrustAfter);
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, milliseconds);
      waiting.add(resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
      await promise;
      clearTimeout(timer);
      waiting.delete(resolve);
    },
    async close() {
      isClosed = true;
      for (const timer of timers) clearTimeout(timer);
      for (const wake of [...waiting]) wake();
      const own = client;
      client = undefined;
      await own?.end().catch(() => undefined);
    },
  };
}
