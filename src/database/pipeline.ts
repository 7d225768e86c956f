import pg from 'pg';
import type { PreparingClient } from './client.ts';

/** Sends statements outside of transactions. */
export type Pipeline = {
  query(text: string, values: readonly unknown[]): Promise<pg.QueryResult>;
  /** The number of connections, and of those that wait for a reply. */
  readonly connections: { readonly total: number; readonly busy: number };
  close(): Promise<void>;
};

type PipelineOptions = {
  /** For statements that would delay others. */
  pool: pg.Pool;
  /** Opens a connection. */
  connect(): Promise<PreparingClient>;
  maxConnections: number;
};

/** Beyond so many unanswered statements, another connection is used. */
const maxUnanswered = 8;
/** Milliseconds: a connection whose next reply takes longer gets no further statements. */
const stalledAfter = 10;
/** Statements that take longer on average don't share a connection: milliseconds, and times the average of all statements. */
const slowStatement = { milliseconds: 3, ratio: 8 };
/** The weight of the last time in an average. */
const lastTimeWeight = 0.1;
const maxRememberedTexts = 2_000;
/** Milliseconds after which an unused connection is closed. */
const idleTime = 10_000;

type Connection = {
  ready: Promise<PreparingClient>;
  client: PreparingClient | undefined;
  unanswered: number;
  /** When the last reply arrived, or the first unanswered statement was sent. */
  lastReply: number;
};

/**
 * Sends statements down a few connections that they share, each without waiting for the replies to those before it: a write to a
 * socket, and the change to PostgreSQL's process that it causes, costs as much as a small statement itself. Each statement is a
 * transaction of its own, so that a failure stays its own, too. Statements that are usually slow take a connection of the pool.
 */
export function openPipeline({ pool, connect, maxConnections }: PipelineOptions): Pipeline {
  const connections: Connection[] = [];
  const averages = new Map<string, number>();
  let averageOfAll = 0;
  const idle = setInterval(closeIdle, idleTime).unref();

  const averaged = (average: number, time: number): number => average + (time - average) * lastTimeWeight;

  function noteTime(text: string, time: number): void {
    averageOfAll = averaged(averageOfAll, time);
    if (averages.size >= maxRememberedTexts) averages.clear();
    averages.set(text, averaged(averages.get(text) ?? time, time));
  }

  /** On a busy machine all statements take longer, so that the time alone tells nothing. */
  function isSlow(text: string): boolean {
    const average = averages.get(text) ?? 0;
    return average > slowStatement.milliseconds && average > averageOfAll * slowStatement.ratio;
  }

  function drop(connection: Connection): void {
    const at = connections.indexOf(connection);
    if (at >= 0) connections.splice(at, 1);
  }

  function open(): Connection {
    const connection: Connection = { ready: connect(), client: undefined, unanswered: 0, lastReply: 0 };
    connections.push(connection);
    connection.ready.then(
      (client) => {
        connection.client = client;
        client.on('error', () => drop(connection));
        client.on('end', () => drop(connection));
      },
      () => drop(connection),
    );
    return connection;
  }

  function closeIdle(): void {
    const limit = performance.now() - idleTime;
    for (const connection of connections.filter(({ unanswered, lastReply }) => unanswered === 0 && lastReply < limit)) {
      drop(connection);
      connection.client?.end().catch(() => undefined);
    }
  }

  /** The first connection that isn't full or stalled, so that statements of one moment go down one connection. */
  function choose(now: number): Connection | undefined {
    for (const connection of connections) {
      if (connection.unanswered === 0) return connection;
      if (connection.unanswered < maxUnanswered && now - connection.lastReply < stalledAfter) return connection;
    }
    return connections.length < maxConnections ? open() : undefined;
  }

  return {
    async query(text, values) {
      const sent = performance.now();
      const connection = isSlow(text) ? undefined : choose(sent);
      if (!connection) {
        const result = await pool.query(text, [...values]);
        noteTime(text, performance.now() - sent);
        return result;
      }
      if (connection.unanswered++ === 0) connection.lastReply = sent;
      try {
        const client = connection.client ?? (await connection.ready);
        return await client.query(text, [...values]);
      } catch (error) {
        // All but errors of the statement itself end the connection.
        if (!(error instanceof pg.DatabaseError && error.severity === 'ERROR')) drop(connection);
        throw error;
      } finally {
        const now = performance.now();
        connection.unanswered -= 1;
        noteTime(text, now - Math.max(sent, connection.lastReply));
        connection.lastReply = now;
      }
    },
    get connections() {
      return { total: connections.length, busy: connections.filter(({ unanswered }) => unanswered > 0).length };
    },
    async close() {
      clearInterval(idle);
      const open = connections.splice(0);
      await Promise.all(open.map(async ({ ready }) => (await ready.catch(() => undefined))?.end()));
    },
  };
}
