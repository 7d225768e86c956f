import { type BatchLoader, batchLoader } from '#lib/batch-loader.ts';
import type { Scope } from './scope.ts';

/**
 * Loads things by their keys, many together. A key without a result is missing in the map. Families declare loaders beside their
 * stores.
 */
export type Loader<Key, Value> = (scope: Scope, keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>;

// biome-ignore lint/suspicious/noExplicitAny: the types of one loader's keys and values are forgotten
export type AnyLoader = Loader<any, any>;

/** Loads with the loaders of a scope. Nothing is loaded twice in a scope. */
export type Load = {
  /** Loads one thing. One statement loads everything that is requested in the same turn of the event loop. */
  <Key, Value>(loader: Loader<Key, Value>, key: Key): Promise<Value | undefined>;
  /** Loads many things together. */
  all<Key, Value>(loader: Loader<Key, Value>, keys: readonly Key[]): Promise<Map<Key, Value>>;
  /** An already loaded value; undefined if it wasn't loaded or doesn't exist. */
  loaded<Key, Value>(loader: Loader<Key, Value>, key: Key): Value | undefined;
  /** Forgets everything, since a change may make loaded values stale. */
  forget(): void;
  /** Stores values that were read in another way. */
  prime<Key, Value>(loader: Loader<Key, Value>, values: Iterable<readonly [Key, Value]>): void;
};

/** @param scope the scope that loaders get */
export function openLoaders(scope: () => Scope): Load {
  const opened = new Map<unknown, BatchLoader<unknown, unknown>>();
  const open = <Key, Value>(loader: Loader<Key, Value>): BatchLoader<Key, Value> => {
    const known = opened.get(loader) ?? batchLoader<unknown, unknown>((keys) => loader(scope(), keys as Key[]));
    opened.set(loader, known);
    return known as BatchLoader<Key, Value>; // the values of this loader
  };
  return Object.assign(<Key, Value>(loader: Loader<Key, Value>, key: Key) => open(loader).load(key), {
    all: <Key, Value>(loader: Loader<Key, Value>, keys: readonly Key[]) => open(loader).loadAll(keys),
    loaded: <Key, Value>(loader: Loader<Key, Value>, key: Key) => open(loader).loaded(key),
    forget: () => opened.clear(),
    prime: <Key, Value>(loader: Loader<Key, Value>, values: Iterable<readonly [Key, Value]>) => open(loader).prime(values),
  });
}
