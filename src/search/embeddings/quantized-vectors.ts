import { codeOf } from './quantise.ts';

/** What is known of an issue's vector before the vector itself is read. */
export type QuantizedVectorRow = { issueId: number; repositoryId: number; code: Buffer };

/** Which issues may be candidates: those of these repositories and, where given, these alone. */
export type Bounds = { repositories: readonly number[]; among?: ReadonlySet<number> | undefined };

/** The sum of what all components of a query weigh, and so the greatest distance. */
const wholeWeight = 60_000;
const unreachable = wholeWeight + 1;

/**
 * The codes of many issues in memory, in the order of the issues' ids: 48 bytes an issue at 256 dimensions. Nothing is given
 * out by them alone: what they name is looked up in the database.
 */
export class QuantizedVectors {
  readonly #bytes: number;
  #count = 0;
  #issues = new Float64Array(0);
  #repositories = new Float64Array(0);
  #codes = new Uint8Array(0);

  /** `bytes` is the length of a code; rows with another are passed over. */
  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  get count(): number {
    return this.#count;
  }

  /** Adds issues, or replaces what was known of them. */
  put(rows: readonly QuantizedVectorRow[]): void {
    const fitting = rows.filter(({ code }) => code.length === this.#bytes);
    const latest = new Map(fitting.map((row) => [row.issueId, row]));
    const added = [...latest.values()].filter((row) => !this.#replace(row)).sort((a, b) => a.issueId - b.issueId);
    if (added.length > 0) this.#merge(added);
  }

  /**
   * The issues whose codes differ least from a vector's, at most so many; the newer of equals. In no order. A sign that differs
   * counts as much as the component of the vector is great, which tells the nearest far better than the number of such signs.
   */
  nearest(vector: Float32Array, { repositories, among }: Bounds, limit: number): number[] {
    const weights = weightsOf(vector, this.#bytes);
    const visible = new Set(repositories);
    const distances = new Uint16Array(this.#count);
    const having = new Uint32Array(unreachable + 1);
    let repository = -1;
    let isVisible = false;
    for (let at = 0; at < this.#count; at++) {
      const own = this.#repositories[at] ?? 0;
      if (own !== repository) {
        repository = own;
        isVisible = visible.has(own);
      }
      const inBounds = isVisible && (among === undefined || among.has(this.#issues[at] ?? 0));
      const distance = inBounds ? this.#distance(at, weights) : unreachable;
      distances[at] = distance;
      having[distance] = (having[distance] ?? 0) + 1;
    }
    return this.#upTo(distances, having, limit);
  }

  #distance(at: number, weights: Uint16Array): number {
    const codes = this.#codes;
    const from = at * this.#bytes;
    let distance = 0;
    for (let byte = 0; byte < this.#bytes; byte++) distance += weights[(byte << 8) | (codes[from + byte] ?? 0)] ?? 0;
    return distance;
  }

  /** Takes from the least distance upwards; of the last distance that is taken from, the newest issues. */
  #upTo(distances: Uint16Array, having: Uint32Array, limit: number): number[] {
    let greatest = 0;
    let room = limit;
    for (; greatest < unreachable && (having[greatest] ?? 0) <= room; greatest++) room -= having[greatest] ?? 0;
    const found: number[] = [];
    for (let at = this.#count - 1; at >= 0 && found.length < limit; at--) {
      const distance = distances[at] ?? unreachable;
      if (distance > greatest || distance === unreachable) continue;
      if (distance === greatest && room-- <= 0) continue;
      found.push(this.#issues[at] ?? 0);
    }
    return found;
  }

  #replace({ issueId, repositoryId, code }: QuantizedVectorRow): boolean {
    let from = 0;
    let to = this.#count;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.#issues[middle] ?? 0) < issueId) from = middle + 1;
      else to = middle;
    }
    if (from === this.#count || this.#issues[from] !== issueId) return false;
    this.#repositories[from] = repositoryId;
    this.#codes.set(code, from * this.#bytes);
    return true;
  }

  /** Makes room where it is needed and puts rows of new issues, which are in order, among those that are there, from the back. */
  #merge(added: readonly QuantizedVectorRow[]): void {
    const count = this.#count + added.length;
    if (count > this.#issues.length) this.#grow(Math.ceil(count * 1.25));
    let old = this.#count - 1;
    let next = added.length - 1;
    for (let at = count - 1; next >= 0; at--) {
      const row = added[next];
      if (row && (old < 0 || row.issueId > (this.#issues[old] ?? 0))) {
        this.#issues[at] = row.issueId;
        this.#repositories[at] = row.repositoryId;
        this.#codes.set(row.code, at * this.#bytes);
        next--;
      } else {
        this.#issues[at] = this.#issues[old] ?? 0;
        this.#repositories[at] = this.#repositories[old] ?? 0;
        this.#codes.copyWithin(at * this.#bytes, old * this.#bytes, (old + 1) * this.#bytes);
        old--;
      }
    }
    this.#count = count;
  }

  #grow(room: number): void {
    const larger = <A extends Float64Array | Uint8Array>(array: A, length: number, make: (length: number) => A): A => {
      const grown = make(length);
      grown.set(array);
      return grown;
    };
    this.#issues = larger(this.#issues, room, (length) => new Float64Array(length));
    this.#repositories = larger(this.#repositories, room, (length) => new Float64Array(length));
    this.#codes = larger(this.#codes, room * this.#bytes, (length) => new Uint8Array(length));
  }
}

/** For each byte of a code and each value of it, what the signs weigh in which it differs from the vector's. */
function weightsOf(vector: Float32Array, bytes: number): Uint16Array {
  const code = codeOf(vector);
  const whole = vector.reduce((sum, value) => sum + Math.abs(value), 0) || 1;
  const sizes = vector.map((value) => Math.floor((Math.abs(value) / whole) * wholeWeight));
  const weights = new Uint16Array(bytes << 8);
  for (let at = 0; at < weights.length; at++) {
    const byte = at >> 8;
    let weight = 0;
    for (let bit = 0, differing = (at & 0xff) ^ (code[byte] ?? 0); bit < 8; bit++) {
      if ((differing >> bit) & 1) weight += sizes[byte * 8 + bit] ?? 0;
    }
    weights[at] = weight;
  }
  return weights;
}
