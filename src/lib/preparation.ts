// Slow results that a transaction needs. Nothing slow is awaited in a transaction, since others wait for its locks and its connection.
import { LRUCache } from 'lru-cache';

/** Thrown in a transaction that needs something slow first: the transaction is rolled back, and runs again once that is done. */
class PreparationNeeded extends Error {
  /** Prepares what is needed. It is kept until the function that this gives is called. */
  readonly prepare: () => Promise<() => void>;

  constructor(prepare: () => Promise<() => void>) {
    super('This must be prepared before the transaction');
    this.prepare = prepare;
  }
}

/** A transaction that needs more in each round than the round before prepared never ends. */
const maxRounds = 8;

/** Does what a piece of work needs before it, and runs it again, until it needs nothing more. */
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

/** Results of a slow function, kept for the transactions that need them. */
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
  /** Bytes, about. */
  readonly sizeOf: (output: Output, key: string) => number;
  /** The bytes of all results that are kept. */
  readonly maxBytes: number;
};

export function preparedResults<Input, Output extends object>({
  compute,
  keyOf,
  sizeOf,
  maxBytes,
}: Options<Input, Output>): PreparedResults<Input, Output> {
  const known = new LRUCache<string, Output>({ maxSize: maxBytes, sizeCalculation: sizeOf });
  const running = new Map<string, Promise<Output>>();
  /** Results that a transaction waits for: others may take their room among those that are kept. */
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
    // Whoever waits for it sees its failure.
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
