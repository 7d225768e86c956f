import { type RawBuilder, sql } from 'kysely';
import { type Term, type Word, wordOf } from './analyse/analyse.ts';
import { unspacedOf } from './analyse/split.ts';

/**
 * A Bloom filter of the pairs of words that follow one another in a text. It says "no" for certain, and "yes" wrongly for
 * about one pair in a hundred of source text, whose pairs recur.
 */
const bitsPerWord = 6;
const hashes = 4;
const smallest = 64;

/** The last steps of MurmurHash3: every bit of the input changes half of the output. */
function mixed(value: number): number {
  let hash = value ^ (value >>> 16);
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The number of one of a pair's bits, before it is cut to the size of a filter. */
function placeOf(first: number, second: number, index: number): number {
  const pair = Math.imul(first, 31) + second;
  return mixed(pair + Math.imul(index, 0x9e3779b1));
}

/** The filter of a text's words, which come in their order; more bits for each deny more of what isn't there. */
export function pairsOf(words: readonly Pick<Word, 'hash'>[], bitsForEach = bitsPerWord): Buffer {
  const bytes = Math.ceil(Math.max(smallest, words.length * bitsForEach) / 8);
  const filter = Buffer.alloc(bytes);
  const bits = bytes * 8;
  let before: number | undefined;
  for (const { hash } of words) {
    if (before !== undefined) {
      for (let index = 0; index < hashes; index++) {
        const place = placeOf(before, hash, index) % bits;
        filter[place >>> 3] = (filter[place >>> 3] ?? 0) | (1 << (place & 7));
      }
    }
    before = hash;
  }
  return filter;
}

/** Whether a phrase may be in the text of a filter, as a condition on its column; undefined when filters can't tell. */
export function mayHoldPhrase(terms: readonly Term[], filter: RawBuilder<unknown>): RawBuilder<unknown> | undefined {
  // In a script without blanks, the words of a query aren't those of a text.
  if (terms.some(({ written }) => unspacedOf(written).length > 0)) return undefined;
  const hashed = terms.map(({ written }) => wordOf(written).hash);
  const bits = hashed
    .slice(1)
    .flatMap((hash, at) => Array.from({ length: hashes }, (_, index) => placeOf(hashed[at] ?? 0, hash, index)));
  const tests = bits.map((bit) => sql`get_bit(${filter}, ${sql.lit(bit)}::bigint % (octet_length(${filter}) * 8)) = 1`);
  return sql`(${sql.join(tests, sql` and `)})`;
}
