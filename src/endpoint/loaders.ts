import { type BatchLoader, batchLoader } from '#lib/batch-loader.ts';
import type { Scope } from './scope.ts';

/** Loads things by their keys, many at once. A key for which there is nothing is missing in the map. Families declare them beside their stores. */
export type Loader<Key, Value> = (scope: Scope, keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>;

// biome-ignore lint/suspicious/noExplicitAny: the types of one loader's keys and values are forgotten
export type AnyLoader = Loader<any, any>;

/** How a scope loads. What was loaded once is not loaded again in it. */
export type Load = {
  /** Loads one thing, by one statement with the others that are wanted in the same turn of the event loop. */
  <Key, Value>(loader: Loader<Key, Value>, key: Key): Promise<Value | undefined>;
  /** Loads many things at once. */
  all<Key, Value>(loader: Loader<Key, Value>, keys: readonly Key[]): Promise<Map<Key, Value>>;
  /** What was loaded already; undefined where it wasn't, or there is nothing. */
  loaded<Key, Value>(loader: Loader<Key, Value>, key: Key): Value | undefined;
  /** Forgets everything: what was loaded before a change may be another thing now. */
  forget(): void;
  /** Takes things that were read in another way. */
  prime<Key, Value>(loader: Loader<Key, Value>, values: Iterable<readonly [Key, Value]>): void;
};

/** @param scope the scope that loaders get */
export function openLoaders(scope: () => Scope): Load {
  const opened = new Map<unknown, BatchLoader<unknown, unknown>>();
  const open = <Key, Value>(loader: Loader<Key, Value>): BatchLoader<Key, Value> => {
    const known = opened.get(loader) ?? batchLoader<unknown, unknown>((keys) => loader(scope(), keys as Key[]));
    opened.set(loader, known);
    return known as BatchLoader<Key, Value>; // what this loader loads
  };
  return Object.assign(<Key, Value>(loader: Loader<Key, Value>, key: Key) => open(loader).load(key), {
    all: <Key, Value>(loader: Loader<Key, Value>, keys: readonly Key[]) => open(loader).loadAll(keys),
    loaded: <Key, Value>(loader: Loader<Key, Value>, key: Key) => open(loader).loaded(key),
    forget: () => opened.clear(),
    prime: <Key, Value>(loader: Loader<Key, Value>, values: Iterable<readonly [Key, Value]>) => open(loader).prime(values),
  });
}
