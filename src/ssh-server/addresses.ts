import { sql } from 'kysely';
import { callerOf, countUse } from '#access/rate-limits.ts';
import { anonymous } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import type { sshLimits } from '#lib/limits/ssh.ts';
import type { LimitValues } from '#lib/limits.ts';
import { Counter } from './counter.ts';
import { Strangers } from './strangers.ts';

const bucket = 'ssh_failures';
const windowSeconds = 15 * 60;

/** The counting of an admitted connection. */
export type Admission = {
  /** Called when the connection has authenticated. */
  authenticated(): void;
  /** Called when the connection has ended. */
  ended(): void;
};

/** Counts all connections, the connections of each address, and failed authentications. */
export class Addresses {
  readonly #limits: LimitValues<typeof sshLimits>;
  readonly #db: Db;
  readonly #open = new Counter();
  readonly #strangers: Strangers;

  constructor(db: Db, limits: LimitValues<typeof sshLimits>) {
    this.#db = db;
    this.#limits = limits;
    this.#strangers = new Strangers(limits);
  }

  /**
   * Admits a connection, or returns the limit that it exceeds. If too many connections haven't authenticated, it is admitted and
   * `drop` of another one is called.
   */
  admit(address: string, drop: () => void): Admission | { limit: string } {
    const { connections, connectionsPerAddress, strangersPerAddress } = this.#limits;
    const key = keyOf(address);
    if (this.#open.total >= connections) return { limit: 'ssh.connections' };
    if (this.#open.of(key) >= connectionsPerAddress) return { limit: 'ssh.connectionsPerAddress' };
    if (this.#strangers.of(key) >= strangersPerAddress) return { limit: 'ssh.strangersPerAddress' };
    const leave = this.#open.enter(key);
    const leaveStrangers = this.#strangers.add(key, drop);
    return {
      authenticated: () => {
        leaveStrangers();
        this.#strangers.authenticated(key);
      },
      ended() {
        leaveStrangers();
        leave();
      },
    };
  }

  /** Seconds until an address with too many failures may connect again; undefined if it may connect now. */
  async waitOf(address: string): Promise<number | undefined> {
    const { rows } = await sql<{ wait: number }>`
      select ceil(extract(epoch from window_ends - now()))::integer as wait from rate_limits
      where key = ${keyOf(address)} and bucket = ${bucket} and window_ends > now() and used >= ${this.#limits.failures}`.execute(
      this.#db,
    );
    return rows[0]?.wait;
  }

  /** Counts a connection that ended without authentication. */
  async failed(address: string): Promise<void> {
    await countUse(this.#db, { key: keyOf(address), bucket, window: windowSeconds });
  }
}

const keyOf = (address: string): string => callerOf(anonymous, address).key;
