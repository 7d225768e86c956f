import type { sshLimits } from '#lib/limits/ssh.ts';
import type { LimitValues } from '#lib/limits.ts';
import { Counter } from './counter.ts';

/** A connection that hasn't authenticated yet. `drop` closes it. */
type Stranger = { readonly key: string; readonly leave: () => void; readonly drop: () => void };

/**
 * The connections that haven't authenticated yet, the oldest first. If there are too many, one is dropped for the next one: the
 * oldest of the address that has the most. Connections of recently authenticated addresses are dropped last.
 */
export class Strangers {
  readonly #limits: LimitValues<typeof sshLimits>;
  readonly #all = new Set<Stranger>();
  readonly #counts = new Counter();
  /** Authenticated addresses, the most recent one at the end. */
  readonly #recent = new Set<string>();

  constructor(limits: LimitValues<typeof sshLimits>) {
    this.#limits = limits;
  }

  /** The number of connections of an address. */
  of(key: string): number {
    return this.#counts.of(key);
  }

  /** Adds a connection, and drops another one if there are too many. Returns the function that removes it. */
  add(key: string, drop: () => void): () => void {
    if (this.#all.size >= this.#limits.strangers) this.#dropOne();
    const uncount = this.#counts.enter(key);
    const stranger: Stranger = {
      key,
      drop,
      leave: () => {
        this.#all.delete(stranger);
        uncount();
      },
    };
    this.#all.add(stranger);
    return stranger.leave;
  }

  /** Records that a connection of an address has authenticated. */
  authenticated(key: string): void {
    this.#recent.delete(key);
    this.#recent.add(key);
    const [oldest] = this.#recent;
    if (oldest !== undefined && this.#recent.size > this.#limits.recentAddresses) this.#recent.delete(oldest);
  }

  #dropOne(): void {
    let chosen: { stranger: Stranger; isRecent: boolean; count: number } | undefined;
    for (const stranger of this.#all) {
      const [isRecent, count] = [this.#recent.has(stranger.key), this.of(stranger.key)];
      const isBefore = !chosen || (isRecent === chosen.isRecent ? count > chosen.count : chosen.isRecent);
      if (isBefore) chosen = { stranger, isRecent, count };
    }
    chosen?.stranger.leave();
    chosen?.stranger.drop();
  }
}
