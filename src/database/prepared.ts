import type { LimitValues } from '#lib/limits.ts';
import type { databaseLimits } from './limits.ts';

export type PreparedLimits = Pick<LimitValues<typeof databaseLimits>, 'preparedText' | 'preparedTexts' | 'preparedSearchTexts'>;

/** The statements that the connections of a pool prepare. Each takes memory on every connection. */
export type PreparedStatements = {
  /** The name of the prepared statement for a text; undefined if it shouldn't be prepared. */
  nameOf(text: string, kind: StatementKind): string | undefined;
  /** The number of resets. */
  readonly generation: number;
  /** Drops all names, so that every statement is prepared again. */
  reset(): void;
};

/** Searches have an unlimited number of texts, and all other statements a limited one. */
type StatementKind = 'usual' | 'search';

/** The number of remembered texts that were seen once. */
const maxSeen = 1_000;

type StatementCache = {
  readonly prefix: string;
  readonly maxBytes: number;
  bytes: number;
  readonly names: Map<string, string>;
  readonly seen: Set<string>;
};

/** Prepares short texts from their second use on, up to a total size in bytes, since a plan's memory grows with its text. */
export function preparedStatements({ preparedText, preparedTexts, preparedSearchTexts }: PreparedLimits): PreparedStatements {
  const openCache = (prefix: string, maxBytes: number): StatementCache => ({
    prefix,
    maxBytes,
    bytes: 0,
    names: new Map(),
    seen: new Set(),
  });
  const caches: Record<StatementKind, StatementCache> = {
    usual: openCache('h', preparedTexts),
    search: openCache('r', preparedSearchTexts),
  };
  let generation = 0;
  return {
    nameOf(text, kind) {
      const cache = caches[kind];
      const known = cache.names.get(text);
      if (known) return known;
      if (text.length > preparedText || isFirstTime(text, cache)) return undefined;
      const bytes = Buffer.byteLength(text);
      if (bytes > preparedText || cache.bytes + bytes > cache.maxBytes) return undefined;
      cache.bytes += bytes;
      const name = `${cache.prefix}${generation}_${cache.names.size}`;
      cache.names.set(text, name);
      return name;
    },
    get generation() {
      return generation;
    },
    reset() {
      generation += 1;
      for (const cache of Object.values(caches)) {
        cache.names.clear();
        cache.bytes = 0;
      }
    },
  };
}

function isFirstTime(text: string, { seen }: StatementCache): boolean {
  if (seen.delete(text)) return false;
  if (seen.size >= maxSeen)
    for (const oldest of seen.values()) {
      seen.delete(oldest);
      break;
    }
  seen.add(text);
  return true;
}
