// Slow results that a transaction needs. A transaction never awaits anything slow, since others wait for its locks and its
// connection.
import { LRUCache } from 'lru-cache';

/** Thrown in a transaction that needs something slow first. The transaction is rolled back, and runs again once that is done. */
class PreparationNeeded extends Error {
  /** Prepares the result. It is kept until the returned function is called. */
  readonly prepare: () => Promise<() => void>;

  constructor(prepare: () => Promise<() => void>) {
    super('This must be prepared before the transaction');
    this.prepare = prepare;
  }
}

/** The maximum number of rounds, since a transaction that needs more preparations each time would never end. */
const maxRounds = 8;

/** Runs a piece of work. While it needs preparations, does them and runs it again. */
export async function withPreparations<T>(work: () => Promise<T>): Promise<T> {
  const releases: (() => void)[] = [];
  try {
    for (let round = 1; ; round++)
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof PreparationNeeded) || round === maxRounds) throw error;
        releases.push(await error.prepare());
      }
  } finally {
    for (const release of releases) release();
  }
}

/** Results of a slow function, kept for transactions that need them. */
type PreparedResults<Input, Output extends object> = {
  /** The result for an input, outside of transactions. */
  get(input: Input): Promise<Output>;
  /** The results for inputs, in a transaction of `change`. @throws PreparationNeeded unless all of them are known */
  require(inputs: readonly Input[]): Output[];
};

type Options<Input, Output> = {
  readonly compute: (input: Input) => Promise<Output>;
  /** Inputs with the same key have the same result. */
  readonly keyOf: (input: Input) => string;
  /** Approximate size in bytes. */
  readonly sizeOf: (output: Output, key: string) => number;
  /** The maximum size in bytes of all kept results. */
  readonly maxBytes: number;
  /** Milliseconds for which a result is kept. Omitted: as long as there is room. */
  readonly keptFor?: number;
};

export function preparedResults<Input, Output extends object>({
  compute,
  keyOf,
  sizeOf,
  maxBytes,
  keptFor,
}: Options<Input, Output>): PreparedResults<Input, Output> {
  const lifetime = keptFor === undefined ? {} : { ttl: keptFor, ttlAutopurge: true };
  const known = new LRUCache<string, Output>({ maxSize: maxBytes, sizeCalculation: sizeOf, ...lifetime });
  const running = new Map<string, Promise<Output>>();
  /** Results for waiting transactions, since the cache may have evicted them. */
  const held = new Map<string, Output>();

  const get = (input: Input): Promise<Output> => {
    const key = keyOf(input);
    const found = known.get(key);
    if (found) return Promise.resolve(found);
    const begun = running.get(key);
    if (begun) return begun;
    const computing = compute(input).then((output) => {
      known.set(key, output);
      return output;
    });
    running.set(key, computing);
    // The caller that awaits it gets its error.
    void computing.catch(() => undefined).finally(() => running.delete(key));
    return computing;
  };

  return {
    get,
    require(inputs) {
      const keys = inputs.map(keyOf);
      const found = keys.map((key) => known.get(key) ?? held.get(key));
      if (found.every((one) => one !== undefined)) return found;
      throw new PreparationNeeded(async () => {
        const results = await Promise.all(inputs.map(get));
        for (const [at, result] of results.entries()) held.set(keys[at] ?? '', result);
        return () => {
          for (const key of keys) held.delete(key);
        };
      });
    },
  };
}
