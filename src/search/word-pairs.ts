import { type RawBuilder, sql } from 'kysely';
import { type Term, type Word, wordOf } from './analyse/analyse.ts';
import { unspacedOf } from './analyse/split.ts';

/** The parameters of a Bloom filter of the pairs of adjacent words of a text. About one in a hundred absent pairs passes it. */
const bitsPerWord = 6;
const hashes = 4;
const minBits = 64;

/** The finalizer of MurmurHash3. */
function finalizeHash(value: number): number {
  let hash = value ^ (value >>> 16);
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The hash number `index` of a pair of words. */
function hashOfPair(first: number, second: number, index: number): number {
  const pair = Math.imul(first, 31) + second;
  return finalizeHash(pair + Math.imul(index, 0x9e3779b1));
}

/** The Bloom filter of a text's words, in order. More bits for each word give fewer false positives. */
export function pairsOf(words: readonly Pick<Word, 'hash'>[], bitsForEach = bitsPerWord): Buffer {
  const bytes = Math.ceil(Math.max(minBits, words.length * bitsForEach) / 8);
  const filter = Buffer.alloc(bytes);
  const bits = bytes * 8;
  let before: number | undefined;
  for (const { hash } of words) {
    if (before !== undefined) {
      for (let index = 0; index < hashes; index++) {
        const bitIndex = hashOfPair(before, hash, index) % bits;
        filter[bitIndex >>> 3] = (filter[bitIndex >>> 3] ?? 0) | (1 << (bitIndex & 7));
      }
    }
    before = hash;
  }
  return filter;
}

/** A condition on a filter column: whether the text may contain a phrase. Undefined if the filter can't be used. */
export function mayContainPairs(terms: readonly Term[], filter: RawBuilder<unknown>): RawBuilder<unknown> | undefined {
  // In scripts without spaces, words of queries and texts are split differently.
  if (terms.some(({ written }) => unspacedOf(written).length > 0)) return undefined;
  const hashed = terms.map(({ written }) => wordOf(written).hash);
  const bits = hashed
    .slice(1)
    .flatMap((hash, at) => Array.from({ length: hashes }, (_, index) => hashOfPair(hashed[at] ?? 0, hash, index)));
  const tests = bits.map((bit) => sql`get_bit(${filter}, ${sql.lit(bit)}::bigint % (octet_length(${filter}) * 8)) = 1`);
  return sql`(${sql.join(tests, sql` and `)})`;
}
