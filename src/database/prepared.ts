import type { ResourceLimits } from '#lib/limits.ts';

export type PreparedLimits = Pick<ResourceLimits['database'], 'preparedText' | 'preparedTexts' | 'preparedSearchTexts'>;

/** Which statements a pool's connections prepare: each one takes memory on every connection for as long as that lives. */
export type PreparedStatements = {
  /** The name under which to prepare a text; undefined where it is to be planned for this one time. */
  nameOf(text: string, kind: StatementKind): string | undefined;
  /** Counts how often all names were given up. */
  readonly generation: number;
  /** Gives up all names, so that every statement is prepared anew. */
  renew(): void;
};

/** The texts of searches follow what people look for, so that there is no end of them; the others are a finite number. */
export type StatementKind = 'usual' | 'search';

/** Texts that were sent once, and may come again. */
const maxSeen = 1_000;

type Kept = {
  readonly letter: string;
  readonly most: number;
  bytes: number;
  readonly names: Map<string, string>;
  readonly seen: Set<string>;
};

/**
 * Prepares short texts from their second time on, up to a number of bytes. The plan of a statement takes a multiple of its text, so
 * that bytes and not statements are counted.
 */
export function preparedStatements({ preparedText, preparedTexts, preparedSearchTexts }: PreparedLimits): PreparedStatements {
  const keep = (letter: string, most: number): Kept => ({ letter, most, bytes: 0, names: new Map(), seen: new Set() });
  const kinds: Record<StatementKind, Kept> = { usual: keep('h', preparedTexts), search: keep('r', preparedSearchTexts) };
  let generation = 0;
  return {
    nameOf(text, kind) {
      const kept = kinds[kind];
      const known = kept.names.get(text);
      if (known) return known;
      if (text.length > preparedText || isFirstTime(text, kept)) return undefined;
      const bytes = Buffer.byteLength(text);
      if (bytes > preparedText || kept.bytes + bytes > kept.most) return undefined;
      kept.bytes += bytes;
      const name = `${kept.letter}${generation}_${kept.names.size}`;
      kept.names.set(text, name);
      return name;
    },
    get generation() {
      return generation;
    },
    renew() {
      generation += 1;
      for (const kept of Object.values(kinds)) {
        kept.names.clear();
        kept.bytes = 0;
      }
    },
  };
}

function isFirstTime(text: string, { seen }: Kept): boolean {
  if (seen.delete(text)) return false;
  if (seen.size >= maxSeen)
    for (const oldest of seen.values()) {
      seen.delete(oldest);
      break;
    }
  seen.add(text);
  return true;
}
