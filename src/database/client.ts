import { AsyncLocalStorage } from 'node:async_hooks';
import type { Duplex } from 'node:stream';
import pg from 'pg';
import { Refusal } from '#lib/refusal.ts';
import { nextTurn } from '#lib/turns.ts';
import type { PreparedStatements } from './prepared.ts';

/** Whether a prepared statement failed because its table has changed since, for example through a newer Hearth's migrations. */
export const isOutdated = (error: unknown): boolean =>
  error instanceof Error && error.message === 'cached plan must not change result type';

const counting = new AsyncLocalStorage<{ statements: string[] }>();

/**
 * Runs `work` and returns the statements that it sent, without `begin` and similar ones. Tests check the number for each
 * endpoint.
 */
export async function countStatements<T>(work: () => Promise<T>): Promise<{ result: T; statements: string[] }> {
  const counter = { statements: [] as string[] };
  // It is awaited inside, since some work begins only when it is awaited (such as a request with `inject`), and wouldn't be
  // counted.
  const result = await counting.run(counter, async () => await work());
  return { result, statements: counter.statements };
}

/** Runs `work` without counting its statements, if they only repeat counted ones. */
export const uncounted = <T>(work: () => T): T => counting.exit(work);

const isControl = (text: unknown): boolean =>
  typeof text !== 'string' || /^(begin|commit|rollback|start|set|savepoint|release)/i.test(text);

/** The state of this context's transaction: when the time for its statements ends, and what to send with the next one. */
export type Deadline = {
  until: number;
  /** When the connection's timeout was last set. */
  updatedAt: number;
  /** Sent before the next statement: `begin` and settings (`set local …`). */
  before: string[];
  /** Whether the transaction ends with the next statement. */
  endsWithNext: boolean;
  /** The reply to the transaction's end, once the end is sent. */
  ended?: Promise<unknown>;
};
export const deadlines = new AsyncLocalStorage<Deadline>();

/** Milliseconds after which the timeout is set again. Short searches need no extra round trip for it. */
const updateIntervalMs = 20;

/** The settings of a client, with the prepared statements that all connections of a pool share. */
type PreparingConfig = pg.ClientConfig & {
  prepared?: PreparedStatements;
  slowStatement?: SlowStatement | undefined;
  /** The bytes of the rows that one statement may read. Omitted: any number. */
  resultBytes?: number | undefined;
};

/** The parts of a statement in pg that aren't in its types. */
type ActiveQuery = { _canceledDueToError: unknown };

const resultTooLarge = (most: number): Refusal =>
  new Refusal('too_large', `The reply would read more than ${most} bytes. Ask for fewer items at once.`, [], {
    limit: 'database.resultBytes',
  });

/** Results of more bytes are passed on one in each turn of the event loop, since what becomes of them takes long. */
const largeResult = 1024 * 1024;

/** Reports statements that took `ms` milliseconds or longer from sending to reply. With 0, it reports none. */
export type SlowStatement = {
  readonly ms: number;
  /** Gets the statement's text, which has parameters in place of values. */
  readonly note: (slow: { statement: string; ms: number; failed: boolean }) => void;
};

/** The maximum length of a reported statement. */
const longestStatement = 2_000;

/** A client that prepares repeated statements with parameters, so that PostgreSQL parses and plans each once. */
export class PreparingClient extends pg.Client {
  readonly #prepared: PreparedStatements | undefined;
  readonly #pipelines: boolean;
  readonly #slowStatement: SlowStatement | undefined;
  readonly #resultBytes: number;
  #reading: { readonly query: ActiveQuery; bytes: number } | undefined;
  #corked = false;

  constructor(config: PreparingConfig = {}) {
    super(config);
    this.#prepared = config.prepared;
    this.#pipelines = config.pipeline ?? false;
    this.#slowStatement = config.slowStatement?.ms ? config.slowStatement : undefined;
    this.#resultBytes = config.resultBytes ?? Number.POSITIVE_INFINITY;
  }

  /**
   * Reads a row, as pg does. A statement that has read too many bytes fails: pg drops its further rows before it makes objects of
   * them, and the connection can be used again.
   */
  _handleDataRow(row: { length: number }): void {
    const { _getActiveQuery, _handleDataRow } = pg.Client.prototype as unknown as {
      _getActiveQuery(): ActiveQuery | null;
      _handleDataRow(row: { length: number }): void;
    };
    const query = _getActiveQuery.call(this);
    if (query && this.#reading?.query !== query) this.#reading = { query, bytes: 0 };
    if (query && this.#reading) {
      this.#reading.bytes += row.length;
      if (this.#reading.bytes > this.#resultBytes) query._canceledDueToError ||= resultTooLarge(this.#resultBytes);
    }
    _handleDataRow.call(this, row);
  }

  /** Buffers writes until the end of the event loop's turn, so that all statements of a turn are sent in one write. */
  #cork(): void {
    if (!this.#pipelines || this.#corked) return;
    const { stream } = (this as unknown as { connection: { stream: Duplex } }).connection; // not in the types of pg
    this.#corked = true;
    stream.cork();
    setImmediate(() => {
      this.#corked = false;
      stream.uncork();
    });
  }

  // biome-ignore lint/suspicious/noExplicitAny: pg overloads query() in eight ways; this only adds a name on the way through
  override query(first: any, ...rest: any[]): any {
    const text: string = typeof first === 'string' ? first : first?.text;
    const deadline = deadlines.getStore();
    if (deadline && /^begin/i.test(text)) return this.#beginLater(deadline, text);
    if (isControl(text)) return deadline?.ended ?? this.#send(first, rest);
    counting.getStore()?.statements.push(text);
    return deadline ? this.#sendWithin(deadline, first, rest) : this.#send(first, rest);
  }

  /** A transaction with a deadline begins with its first statement. */
  async #beginLater({ before }: Deadline, text: string): Promise<{ command: string; rows: [] }> {
    before.unshift(text);
    return { command: 'BEGIN', rows: [] };
  }

  /**
   * Sends a statement together with the statements before it and, if it is the last one, the end of its transaction. The earlier
   * statements aren't awaited: if one fails, so does this statement.
   */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  #sendWithin(deadline: Deadline, first: any, rest: any[]): any {
    const { until, updatedAt, endsWithNext } = deadline;
    if (deadline.ended) return Promise.reject(new Error('The transaction of this statement has ended'));
    const now = performance.now();
    const before = deadline.before.splice(0);
    if (now - updatedAt > updateIntervalMs) {
      if (until <= now) return Promise.reject(new TimeBudgetExceeded());
      deadline.updatedAt = now;
      before.push(`set local statement_timeout = ${Math.ceil(until - now)}`);
    }
    this.#cork();
    if (before.length > 0) super.query(before.join('; ')).catch(() => undefined);
    const reply = this.#send(first, rest);
    if (endsWithNext) {
      deadline.ended = this.#ask('commit', undefined);
      // It fails only with the connection, and the caller that ends the transaction gets that error.
      deadline.ended.catch(() => undefined);
    }
    return reply;
  }

  // biome-ignore lint/suspicious/noExplicitAny: as above
  #send(first: any, rest: any[]): any {
    this.#cork();
    // Row streams and calls with a callback use pg's own method.
    if (typeof first?.submit === 'function' || rest.some((one) => typeof one === 'function'))
      return super.query(first, ...(rest as []));
    const prepared = this.#prepared;
    const [values] = rest;
    if (!prepared || typeof first !== 'string' || !Array.isArray(values) || values.length === 0) return this.#ask(first, values);
    const name = prepared.nameOf(first, deadlines.getStore() ? 'search' : 'usual');
    const { generation } = prepared;
    return this.#ask(name ? { name, text: first } : first, values, (error) => {
      // Other statements on the same table would fail too. If a value can't be sent (a TypeError), pg closes the prepared
      // statement but continues to use its name.
      if ((isOutdated(error) || error instanceof TypeError) && generation === prepared.generation) prepared.reset();
    });
  }

  /**
   * Sends a statement. It gives pg a callback. The rows in pg's own promises, when followed by `catch`, would live until the next
   * full garbage collection, and the heap would grow. The stack of an error still leads to the caller, as with those promises.
   */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  async #ask(config: any, values: any, onError?: (error: unknown) => void): Promise<any> {
    const since = performance.now();
    try {
      let bytes = 0;
      const result = await new Promise((resolve, reject) => {
        super.query(config, values, (error: Error | null, result: unknown) => {
          bytes = this.#reading?.bytes ?? 0;
          this.#reading = undefined;
          this.#noteTime(config, since, error !== null);
          if (error) reject(error);
          else resolve(result);
        });
      });
      if (bytes > largeResult) await nextTurn();
      return result;
    } catch (error) {
      if (error instanceof Error) Error.captureStackTrace(error);
      onError?.(error);
      throw error;
    }
  }

  #noteTime(config: string | { text: string }, since: number, failed: boolean): void {
    const slow = this.#slowStatement;
    const ms = performance.now() - since;
    if (!slow || ms < slow.ms) return;
    const text = typeof config === 'string' ? config : config.text;
    slow.note({ statement: text.replace(/\s+/g, ' ').trim().slice(0, longestStatement), ms: Math.round(ms), failed });
  }
}

/** The time budget of a search is exhausted. Its connection is free again. */
export class TimeBudgetExceeded extends Error {}
