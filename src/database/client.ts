import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import type { PreparedStatements } from './prepared.ts';

/** Whether a statement failed because its table was changed after it had been prepared: a newer Hearth brought the database up to date. */
export const isOutdated = (error: unknown): boolean =>
  error instanceof Error && error.message === 'cached plan must not change result type';

const counting = new AsyncLocalStorage<{ statements: string[] }>();

/** Runs `work` and returns the statements that it sent, without `begin` and the like. Tests bound the number for each endpoint. */
export async function countStatements<T>(work: () => Promise<T>): Promise<{ result: T; statements: string[] }> {
  const counter = { statements: [] as string[] };
  // Awaited inside, since some work begins only when it is awaited (a request by `inject`) and would not be counted.
  const result = await counting.run(counter, async () => await work());
  return { result, statements: counter.statements };
}

const isControl = (text: unknown): boolean =>
  typeof text !== 'string' || /^(begin|commit|rollback|start|set|savepoint|release)/i.test(text);

/** When the statements of this context must end, and when the connection was told so last. */
export type Deadline = { until: number; told: number };
export const deadlines = new AsyncLocalStorage<Deadline>();

/** Milliseconds after which PostgreSQL is told again how much time is left. Faster searches need no further round trip for it. */
const tolerance = 20;

/** The settings of a client, with the statements that are prepared, which all connections of a pool have in common. */
export type PreparingConfig = pg.ClientConfig & { prepared?: PreparedStatements };

/** A client that prepares the parameterised statements which come again and again, so that PostgreSQL parses and plans each once. */
export class PreparingClient extends pg.Client {
  readonly #prepared: PreparedStatements | undefined;

  constructor(config: PreparingConfig = {}) {
    super(config);
    this.#prepared = config.prepared;
  }

  // biome-ignore lint/suspicious/noExplicitAny: pg overloads query() in eight ways; this only adds a name on the way through
  override query(first: any, ...rest: any[]): any {
    const text: string = typeof first === 'string' ? first : first?.text;
    if (!isControl(text)) counting.getStore()?.statements.push(text);
    const deadline = deadlines.getStore();
    if (deadline && !isControl(text) && performance.now() - deadline.told > tolerance) {
      return this.#hasten(deadline).then(() => this.#send(first, rest));
    }
    return this.#send(first, rest);
  }

  /** Limits the next statement to the time that is left. */
  async #hasten(deadline: Deadline): Promise<void> {
    const left = deadline.until - performance.now();
    if (left <= 0) throw new TimeBudgetExceeded();
    deadline.told = performance.now();
    await super.query(`set local statement_timeout = ${Math.ceil(left)}`);
  }

  // biome-ignore lint/suspicious/noExplicitAny: as above
  #send(first: any, rest: any[]): any {
    const prepared = this.#prepared;
    if (prepared && typeof first === 'string' && Array.isArray(rest[0]) && rest[0].length > 0) {
      const name = prepared.nameOf(first, deadlines.getStore() ? 'search' : 'usual');
      const { generation } = prepared;
      // Nothing is returned to those who give a callback.
      const reply: Promise<unknown> | undefined = name
        ? super.query({ name, text: first, values: rest[0] }, ...(rest.slice(1) as []))
        : super.query(first, ...(rest as []));
      return reply?.catch((error) => {
        // Other statements on the table would fail as this one did.
        if (isOutdated(error) && generation === prepared.generation) prepared.renew();
        throw error;
      });
    }
    return super.query(first, ...(rest as []));
  }
}

/** The time of a search is over. Its connection is free again. */
export class TimeBudgetExceeded extends Error {}
