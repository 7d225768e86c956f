/**
 * A function that loads values by key, each once: those that are asked for at the same time are loaded by one call.
 * @param load gives a map of the values; a key without a value is missing in it
 */
export function batchLoader<Key, Value>(
  load: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>,
): (key: Key) => Promise<Value | undefined> {
  const asked = new Map<Key, Promise<Value | undefined>>();
  let next: { keys: Key[]; loaded: Promise<ReadonlyMap<Key, Value>> } | undefined;

  const openBatch = () => {
    const keys: Key[] = [];
    const loadAll = async (): Promise<ReadonlyMap<Key, Value>> => {
      await new Promise(setImmediate);
      next = undefined;
      return load(keys);
    };
    return { keys, loaded: loadAll() };
  };

  return (key) => {
    const known = asked.get(key);
    if (known) return known;
    next ??= openBatch();
    next.keys.push(key);
    const value = next.loaded.then((values) => values.get(key));
    asked.set(key, value);
    return value;
  };
}
