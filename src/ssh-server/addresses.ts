import { sql } from 'kysely';
import { callerOf, countUse } from '#access/rate-limits.ts';
import { anonymous } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import type { ResourceLimits } from '#lib/limits.ts';

const bucket = 'ssh_failures';
const windowSeconds = 15 * 60;

/** How connections of one address are counted. */
export type Admission = {
  /** Called when the connection has authenticated. */
  authenticated(): void;
  /** Called when the connection has ended. */
  ended(): void;
};

/** Counts connections, of all and of each address, and those that failed to authenticate. */
export class Addresses {
  readonly #limits: ResourceLimits['ssh'];
  readonly #db: Db;
  readonly #open = new Counter();
  readonly #strangers = new Counter();

  constructor(db: Db, limits: ResourceLimits['ssh']) {
    this.#db = db;
    this.#limits = limits;
  }

  /** Lets a connection in, or names the limit that it exceeds. */
  admit(address: string): Admission | { limit: string } {
    const { connections, connectionsPerAddress, strangers, strangersPerAddress } = this.#limits;
    const key = keyOf(address);
    if (this.#open.total >= connections) return { limit: 'ssh.connections' };
    if (this.#open.of(key) >= connectionsPerAddress) return { limit: 'ssh.connectionsPerAddress' };
    if (this.#strangers.total >= strangers) return { limit: 'ssh.strangers' };
    if (this.#strangers.of(key) >= strangersPerAddress) return { limit: 'ssh.strangersPerAddress' };
    const leave = this.#open.enter(key);
    const known = this.#strangers.enter(key);
    return {
      authenticated: known,
      ended() {
        known();
        leave();
      },
    };
  }

  /** Seconds until an address that failed too often may come again; undefined where it may now. */
  async waitOf(address: string): Promise<number | undefined> {
    const { rows } = await sql<{ wait: number }>`
      select ceil(extract(epoch from window_ends - now()))::integer as wait from rate_limits
      where key = ${keyOf(address)} and bucket = ${bucket} and window_ends > now() and used >= ${this.#limits.failures}`.execute(
      this.#db,
    );
    return rows[0]?.wait;
  }

  /** Counts a connection that ended without having authenticated. */
  async failed(address: string): Promise<void> {
    await countUse(this.#db, { key: keyOf(address), bucket, window: windowSeconds });
  }
}

const keyOf = (address: string): string => callerOf(anonymous, address).key;

/** Counts what is there, in all and by key. */
class Counter {
  total = 0;
  readonly #byKey = new Map<string, number>();

  of(key: string): number {
    return this.#byKey.get(key) ?? 0;
  }

  /** Counts one more; the function that it returns takes it back, once. */
  enter(key: string): () => void {
    let isThere = true;
    this.#add(key, 1);
    return () => {
      if (isThere) this.#add(key, -1);
      isThere = false;
    };
  }

  #add(key: string, change: 1 | -1): void {
    this.total += change;
    const count = this.of(key) + change;
    if (count > 0) this.#byKey.set(key, count);
    else this.#byKey.delete(key);
  }
}
