// Finds secrets in bytes, in one pass: an automaton (Aho-Corasick) finds the prefixes of all patterns at once, and the form of a
// pattern is only matched where its prefix stands.
import type { Id } from '#lib/id.ts';
import type { SecretPattern } from './patterns.ts';

/** What found a secret: `custom` is the id of a custom pattern. */
type Finder = Pick<SecretPattern, 'type' | 'name'> & { readonly custom?: Id<'secret_patterns'> };

/** A secret at its place, in bytes from the beginning. */
export type Match = { readonly pattern: Finder; readonly secret: string; readonly start: number; readonly end: number };

export type Scanner = {
  /** The secrets in some bytes, in their order, up to `limit`. */
  scan(bytes: Buffer, limit: number): Match[];
  /** The same, part by part, each of which takes some milliseconds at most: between two of them, other work may have its turn. */
  scanInParts(bytes: Buffer, limit: number): Iterable<readonly Match[]>;
};

/** A scanner, by what it finds part by part. */
export const scannerInParts = (scanInParts: Scanner['scanInParts']): Scanner => ({
  scanInParts,
  scan: (bytes, limit) => [...scanInParts(bytes, limit)].flat(),
});

type Prefix = { readonly text: string; readonly patterns: readonly SecretPattern[] };

const bytesPerState = 256;
/** Bytes of one part. */
const partSize = 131_072;
/** In the table, the sign of a state at which a prefix ends. */
const isEnd = 0x8000_0000;

/**
 * For each state and byte the next state, times 256, with a sign where a prefix ends there; for each state the prefixes that end
 * there.
 */
type Automaton = { readonly table: Uint32Array; readonly ends: readonly (readonly Prefix[])[] };

function buildAutomaton(prefixes: readonly Prefix[]): Automaton {
  const edges: Map<number, number>[] = [new Map()];
  const ends: Prefix[][] = [[]];
  for (const prefix of prefixes) {
    let state = 0;
    for (const byte of Buffer.from(prefix.text, 'latin1')) {
      let next = edges[state]?.get(byte);
      if (next === undefined) {
        next = edges.push(new Map()) - 1;
        ends.push([]);
        edges[state]?.set(byte, next);
      }
      state = next;
    }
    ends[state]?.push(prefix);
  }
  const table = new Uint32Array(edges.length * bytesPerState);
  const fallbacks = new Uint32Array(edges.length);
  const queue = [0];
  for (const state of queue) {
    const fallback = fallbacks[state] ?? 0;
    for (let byte = 0; byte < bytesPerState; byte++) {
      const inherited = state === 0 ? 0 : (table[fallback * bytesPerState + byte] ?? 0);
      const next = edges[state]?.get(byte);
      table[state * bytesPerState + byte] = next ?? inherited;
      if (next === undefined) continue;
      fallbacks[next] = inherited;
      ends[next]?.push(...(ends[inherited] ?? []));
      queue.push(next);
    }
  }
  return { table: table.map((next) => (next * bytesPerState + ((ends[next]?.length ?? 0) > 0 ? isEnd : 0)) >>> 0), ends };
}

const isWordByte = (byte: number): boolean =>
  (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a) || byte === 0x5f;

const backslash = 0x5c;

/** Whether a secret may begin here: not inside a word, unless what stands before it is an escape as `\n`. */
const mayBegin = (bytes: Buffer, at: number): boolean =>
  at === 0 || !isWordByte(bytes[at - 1] ?? 0) || (at > 1 && bytes[at - 2] === backslash);

const placeholder = /example/i;
/** A secret with fewer different characters after its prefix is a placeholder, as `AKIAXXXXXXXXXXXXXXXX`. */
const fewestCharacters = 7;

const isPlaceholder = (secret: string, { length }: string): boolean =>
  placeholder.test(secret) || new Set(secret.slice(length)).size < fewestCharacters;

function matchAt(bytes: Buffer, start: number, pattern: SecretPattern, prefix: string): Match | undefined {
  // One more byte shows whether the secret ends.
  const text = bytes.toString('latin1', start, Math.min(bytes.length, start + pattern.maxLength + 1));
  const secret = pattern.form.exec(text)?.[0];
  if (secret === undefined || isPlaceholder(secret, prefix) || pattern.check?.(secret) === false) return undefined;
  return { pattern, secret, start, end: start + secret.length };
}

/** A scanner for these patterns. Building one takes about a millisecond. */
export function scannerOf(patterns: readonly SecretPattern[]): Scanner {
  const byPrefix = Map.groupBy(
    patterns.flatMap((pattern) => pattern.prefixes.map((text) => ({ text, pattern }))),
    ({ text }) => text,
  );
  const prefixes = [...byPrefix].map(([text, some]) => ({ text, patterns: some.map(({ pattern }) => pattern) }));
  // Built when the first bytes come: it takes as long as all the modules of a family.
  let automaton: Automaton | undefined;
  const matchesAt = function* (ends: Automaton['ends'], bytes: Buffer, last: number, state: number): Generator<Match> {
    for (const { text, patterns: some } of ends[state / bytesPerState] ?? []) {
      const start = last + 1 - text.length;
      if (!mayBegin(bytes, start)) continue;
      for (const pattern of some) {
        const match = matchAt(bytes, start, pattern, text);
        if (match) yield match;
      }
    }
  };
  /**
   * Scans a part of some bytes from a state on, and returns the state after it. A secret is found in the part in which its prefix
   * ends.
   */
  const scanPart = (bytes: Buffer, part: { from: number; to: number; state: number }, found: Match[]): number => {
    automaton ??= buildAutomaton(prefixes);
    const { table, ends } = automaton;
    // An integer: to tell V8 so saves a tenth of the time.
    let state = part.state | 0;
    const { to } = part;
    for (let at = part.from; at < to; at++) {
      const next = table[state | (bytes[at] ?? 0)] ?? 0;
      if (next < isEnd) {
        state = next;
        continue;
      }
      state = next - isEnd;
      for (const match of matchesAt(ends, bytes, at, state)) found.push(match);
    }
    return state;
  };
  return scannerInParts(function* (bytes, limit) {
    let [state, left] = [0, limit];
    for (let from = 0; from < bytes.length && left > 0; from += partSize) {
      const found: Match[] = [];
      state = scanPart(bytes, { from, to: Math.min(bytes.length, from + partSize), state }, found);
      yield found.slice(0, left);
      left -= found.length;
    }
  });
}
