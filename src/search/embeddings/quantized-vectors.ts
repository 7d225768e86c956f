import { codeOf } from './quantise.ts';

/** The quantized vector of an issue. */
export type QuantizedVectorRow = { issueId: number; repositoryId: number; code: Buffer };

/** The issues that can be candidates: issues of these repositories and, with `among`, only these issues. */
type CandidateFilter = { repositories: readonly number[]; among?: ReadonlySet<number> | undefined };

/** The sum of the weights of all components, which is the maximum distance. */
const totalWeight = 60_000;
const unreachable = totalWeight + 1;

/**
 * The quantized vectors of many issues in memory, ordered by issue id: 48 bytes for each issue at 256 dimensions. Results are
 * always looked up in the database.
 */
export class QuantizedVectors {
  readonly #bytes: number;
  #count = 0;
  #issues = new Float64Array(0);
  #repositories = new Float64Array(0);
  #codes = new Uint8Array(0);

  /** `bytes` is the length of a code. Rows with another length are skipped. */
  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  get count(): number {
    return this.#count;
  }

  /** Adds or replaces issues. */
  put(rows: readonly QuantizedVectorRow[]): void {
    const fitting = rows.filter(({ code }) => code.length === this.#bytes);
    const latest = new Map(fitting.map((row) => [row.issueId, row]));
    const added = [...latest.values()].filter((row) => !this.#replace(row)).sort((a, b) => a.issueId - b.issueId);
    if (added.length > 0) this.#merge(added);
  }

  /**
   * Up to `limit` issues whose codes are nearest to a vector, unordered. For equal distances, newer issues are preferred. Each
   * differing sign is weighted by the vector's component, which ranks far better than the Hamming distance.
   */
  nearest(vector: Float32Array, { repositories, among }: CandidateFilter, limit: number): number[] {
    const weights = weightsOf(vector, this.#bytes);
    const visible = new Set(repositories);
    const distances = new Uint16Array(this.#count);
    const histogram = new Uint32Array(unreachable + 1);
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
      histogram[distance] = (histogram[distance] ?? 0) + 1;
    }
    return this.#upTo(distances, histogram, limit);
  }

  #distance(at: number, weights: Uint16Array): number {
    const codes = this.#codes;
    const from = at * this.#bytes;
    let distance = 0;
    for (let byte = 0; byte < this.#bytes; byte++) distance += weights[(byte << 8) | (codes[from + byte] ?? 0)] ?? 0;
    return distance;
  }

  /** Selects issues by increasing distance. At the largest selected distance, it selects the newest ones. */
  #upTo(distances: Uint16Array, histogram: Uint32Array, limit: number): number[] {
    let maxDistance = 0;
    let capacity = limit;
    for (; maxDistance < unreachable && (histogram[maxDistance] ?? 0) <= capacity; maxDistance++)
      capacity -= histogram[maxDistance] ?? 0;
    const found: number[] = [];
    for (let at = this.#count - 1; at >= 0 && found.length < limit; at--) {
      const distance = distances[at] ?? unreachable;
      if (distance > maxDistance || distance === unreachable) continue;
      if (distance === maxDistance && capacity-- <= 0) continue;
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

  /** Merges new, sorted rows into the existing ones, from the end. */
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

  #grow(capacity: number): void {
    const larger = <A extends Float64Array | Uint8Array>(array: A, length: number, make: (length: number) => A): A => {
      const grown = make(length);
      grown.set(array);
      return grown;
    };
    this.#issues = larger(this.#issues, capacity, (length) => new Float64Array(length));
    this.#repositories = larger(this.#repositories, capacity, (length) => new Float64Array(length));
    this.#codes = larger(this.#codes, capacity * this.#bytes, (length) => new Uint8Array(length));
  }
}

/** For each byte of a code and each of its values, the sum of the weights of the signs that differ from the vector's. */
function weightsOf(vector: Float32Array, bytes: number): Uint16Array {
  const code = codeOf(vector);
  const whole = vector.reduce((sum, value) => sum + Math.abs(value), 0) || 1;
  const sizes = vector.map((value) => Math.floor((Math.abs(value) / whole) * totalWeight));
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
