// Listens for signals of changes on one connection of its own, while somebody waits for them.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { changesChannel } from '#database/change-signals.ts';
import type { Database } from '#database/connect.ts';

const reconnectEveryMs = 1_000;

export type ChangeListener = {
  /**
   * Calls a function when a subject changes, or may have changed while the connection was lost.
   * @returns a function that ends it
   */
  on(subject: string, changed: () => void): () => void;
  close(): Promise<void>;
};

/** Makes the listener of a process. It connects when somebody first waits for something, and again after a lost connection. */
export function openChangeListener({ clientConfig }: Pick<Database, 'clientConfig'>): ChangeListener {
  const waiting = new Map<string, Set<() => void>>();
  let close = async (): Promise<void> => undefined;
  /** Whether it is connected, or connects. */
  let isConnected = false;
  let isClosed = false;

  const callAll = (functions: Iterable<() => void> = []): void => {
    for (const changed of [...functions]) changed();
  };
  const connect = async (): Promise<void> => {
    const opened = new pg.Client({ ...clientConfig, application_name: 'hearth changes' });
    opened.on('error', () => undefined); // the event `end` follows
    opened.on('notification', ({ payload = '' }) => {
      for (const subject of payload.split(',')) callAll(waiting.get(subject));
    });
    try {
      await opened.connect();
      await opened.query(`listen ${changesChannel}`);
    } catch (error) {
      await opened.end().catch(() => undefined);
      throw error;
    }
    close = () => opened.end();
    opened.once('end', () => {
      isConnected = false;
      listen();
    });
    if (isClosed) await opened.end();
  };
  /** Connects, again and again until it succeeds. */
  const keepConnecting = async (): Promise<void> => {
    while (!isClosed)
      try {
        await connect();
        for (const functions of waiting.values()) callAll(functions);
        return;
      } catch {
        await sleep(reconnectEveryMs, undefined, { ref: false }); // PostgreSQL is unreachable
      }
  };
  const listen = (): void => {
    if (isClosed || isConnected || waiting.size === 0) return;
    isConnected = true;
    void keepConnecting();
  };

  return {
    on(subject, changed) {
      const functions = waiting.get(subject) ?? new Set();
      waiting.set(subject, functions.add(changed));
      listen();
      return () => {
        functions.delete(changed);
        if (functions.size === 0 && waiting.get(subject) === functions) waiting.delete(subject);
      };
    },
    async close() {
      isClosed = true;
      waiting.clear();
      await close();
    },
  };
}
