import pg from 'pg';
import { Refusal } from '#lib/refusal.ts';
import { type PreparingClient, uncounted } from './client.ts';

/** Sends statements outside of transactions. */
export type Pipeline = {
  query(text: string, values: readonly unknown[]): Promise<pg.QueryResult>;
  /** The number of connections, and of connections that wait for a reply. */
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

/** With more unanswered statements than this, another connection is used. */
const maxUnanswered = 8;
/** Milliseconds: a connection whose next reply takes longer gets no further statements. */
const stalledAfter = 10;
/** Milliseconds: reads that wait longer than this behind another statement are sent again on a connection of the pool. */
const sentAgainAfter = 200;
/**
 * Statements that take longer on average don't share a connection. The limit is both in milliseconds and relative to the average
 * of all statements.
 */
const slowStatement = { milliseconds: 3, ratio: 8 };
/** The weight of the last time in an average. */
const lastTimeWeight = 0.1;
const maxRememberedTexts = 2_000;
/** Milliseconds after which an unused connection is closed. */
const idleTime = 10_000;

type Unanswered = {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly resolve: (result: pg.QueryResult) => void;
  readonly reject: (error: unknown) => void;
  isSentAgain: boolean;
};

type Connection = {
  ready: Promise<PreparingClient>;
  client: PreparingClient | undefined;
  /** In the order of sending, which is the order of the replies. */
  unanswered: Unanswered[];
  /** When the last reply arrived, or the first unanswered statement was sent. */
  lastReply: number;
  watch: NodeJS.Timeout | undefined;
};

/** Whether running a statement twice has the same effect as running it once. */
const isRead = (text: string): boolean =>
  /^\s*select\b/i.test(text) && !/\b(add_jobs?|nextval|set_config|pg_\w+|for (no key )?(update|share))\b/i.test(text);

/** Whether only the statement failed, so that its connection remains usable. */
const isOfStatement = (error: unknown): boolean =>
  error instanceof Refusal || (error instanceof pg.DatabaseError && error.severity === 'ERROR');

const averaged = (average: number, time: number): number => average + (time - average) * lastTimeWeight;

/**
 * Sends statements over a few shared connections, without waiting for earlier replies. Otherwise the write to a socket, and the
 * switch to PostgreSQL's process, would cost as much as a small statement itself. Each statement is a separate transaction, so a
 * failure affects no other. Statements that are usually slow use a connection of the pool. So do reads that wait behind an
 * unexpectedly slow statement.
 */
export function openPipeline({ pool, connect, maxConnections }: PipelineOptions): Pipeline {
  const connections: Connection[] = [];
  let isClosed = false;
  const averages = new Map<string, number>();
  let averageOfAll = 0;
  const idle = setInterval(closeIdle, idleTime).unref();

  function noteTime(text: string, time: number): void {
    averageOfAll = averaged(averageOfAll, time);
    if (averages.size >= maxRememberedTexts) averages.clear();
    averages.set(text, averaged(averages.get(text) ?? time, time));
  }

  /** On a busy machine all statements take longer, so the time alone isn't enough. */
  function isSlow(text: string): boolean {
    const average = averages.get(text) ?? 0;
    return average > slowStatement.milliseconds && average > averageOfAll * slowStatement.ratio;
  }

  function drop(connection: Connection): void {
    const at = connections.indexOf(connection);
    if (at >= 0) connections.splice(at, 1);
  }

  function open(): Connection {
    const connection: Connection = { ready: connect(), client: undefined, unanswered: [], lastReply: 0, watch: undefined };
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
    for (const connection of connections.filter(({ unanswered, lastReply }) => unanswered.length === 0 && lastReply < limit)) {
      drop(connection);
      connection.client?.end().catch(() => undefined);
    }
  }

  /** The first connection that isn't full or stalled, so that concurrent statements share one connection. */
  function choose(now: number): Connection | undefined {
    for (const connection of connections) {
      const { length } = connection.unanswered;
      if (length === 0 || (length < maxUnanswered && now - connection.lastReply < stalledAfter)) return connection;
    }
    return connections.length < maxConnections && !isClosed ? open() : undefined;
  }

  /** Watches the statements behind the first one of a connection. */
  function watch(connection: Connection): void {
    connection.watch ??= setTimeout(() => {
      connection.watch = undefined;
      const behind = connection.unanswered.slice(1);
      if (performance.now() - connection.lastReply >= sentAgainAfter) behind.forEach(sendAgain);
      if (behind.length > 0) watch(connection);
    }, sentAgainAfter);
  }

  function sendAgain(waiting: Unanswered): void {
    // Sending it again runs it twice. If others wait for the pool, it stays here.
    if (waiting.isSentAgain || !isRead(waiting.text) || pool.waitingCount > 0) return;
    waiting.isSentAgain = true;
    uncounted(() => askAlone(waiting.text, waiting.values)).then(waiting.resolve, waiting.reject);
  }

  /**
   * Runs a statement on a connection of the pool. If it has to wait, `pool.query` would send it in the async context of the
   * caller that releases a connection, which may have a deadline.
   */
  async function askAlone(text: string, values: readonly unknown[]): Promise<pg.QueryResult> {
    const client = await pool.connect();
    let isBroken = true;
    try {
      const result = await client.query(text, [...values]);
      isBroken = false;
      return result;
    } catch (error) {
      isBroken = !isOfStatement(error);
      throw error;
    } finally {
      client.release(isBroken);
    }
  }

  async function send(connection: Connection, statement: Unanswered): Promise<void> {
    const { text, values } = statement;
    const sent = performance.now();
    if (connection.unanswered.push(statement) === 1) connection.lastReply = sent;
    else watch(connection);
    try {
      const client = connection.client ?? (await connection.ready);
      statement.resolve(await client.query(text, [...values]));
    } catch (error) {
      // Every error other than the statement's own ends the connection.
      if (!isOfStatement(error)) drop(connection);
      if (!statement.isSentAgain) statement.reject(error);
    } finally {
      const now = performance.now();
      connection.unanswered.splice(connection.unanswered.indexOf(statement), 1);
      noteTime(text, now - Math.max(sent, connection.lastReply));
      connection.lastReply = now;
    }
  }

  return {
    async query(text, values) {
      const sent = performance.now();
      const connection = isSlow(text) ? undefined : choose(sent);
      if (!connection) {
        const result = await askAlone(text, values);
        noteTime(text, performance.now() - sent);
        return result;
      }
      return new Promise<pg.QueryResult>((resolve, reject) => {
        send(connection, { text, values, resolve, reject, isSentAgain: false });
      });
    },
    get connections() {
      return { total: connections.length, busy: connections.filter(({ unanswered }) => unanswered.length > 0).length };
    },
    async close() {
      isClosed = true;
      clearInterval(idle);
      const open = connections.splice(0);
      for (const { watch } of open) clearTimeout(watch);
      await Promise.all(open.map(async ({ ready }) => (await ready.catch(() => undefined))?.end()));
    },
  };
}
