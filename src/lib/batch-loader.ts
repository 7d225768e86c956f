/** Loads values by key, each once. */
export type BatchLoader<Key, Value> = {
  /** Keys that are requested in the same turn of the event loop are loaded together. */
  load(key: Key): Promise<Value | undefined>;
  /** Loads all missing keys with one call, immediately. */
  loadAll(keys: readonly Key[]): Promise<Map<Key, Value>>;
  /** A value that was already loaded or primed. */
  loaded(key: Key): Value | undefined;
  /** Stores known values. */
  prime(values: Iterable<readonly [Key, Value]>): void;
};

/** @param load returns the values by their keys; a key without a value isn't in the map */
export function batchLoader<Key, Value>(
  load: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>,
): BatchLoader<Key, Value> {
  const values = new Map<Key, Value>();
  const requested = new Map<Key, Promise<unknown>>();
  let next: { keys: Key[]; loading: Promise<unknown> } | undefined;

  async function loadKeys(keys: readonly Key[]): Promise<void> {
    for (const [key, value] of await load(keys)) values.set(key, value);
  }

  const openBatch = () => {
    const keys: Key[] = [];
    const loadInTurn = async (): Promise<void> => {
      await new Promise(setImmediate);
      next = undefined;
      await loadKeys(keys);
    };
    return { keys, loading: loadInTurn() };
  };

  return {
    async load(key) {
      if (!requested.has(key)) {
        next ??= openBatch();
        next.keys.push(key);
        requested.set(key, next.loading);
      }
      await requested.get(key);
      return values.get(key);
    },
    async loadAll(keys) {
      const wanted = new Set(keys);
      const missing = [...wanted].filter((key) => !requested.has(key));
      if (missing.length > 0) {
        const loading = loadKeys(missing);
        for (const key of missing) requested.set(key, loading);
      }
      await Promise.all(new Set([...wanted].map((key) => requested.get(key))));
      return new Map([...wanted].flatMap((key) => (values.has(key) ? [[key, values.get(key) as Value]] : [])));
    },
    loaded: (key) => values.get(key),
    prime(known) {
      for (const [key, value] of known) {
        values.set(key, value);
        requested.set(key, Promise.resolve());
      }
    },
  };
}
