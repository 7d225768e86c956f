/** Turns texts into vectors of length 1, which are close for texts with similar meaning. */
export type Embedder = {
  /** Provider, model and revision. Vectors of different identities aren't comparable. */
  readonly identity: string;
  /** Texts below this similarity are treated as unrelated. */
  readonly minSimilarity: number;
  /**
   * Returns one vector for each text, in order. Queries have a short timeout, issues a long one.
   * @throws EmbeddingsUnavailable
   */
  embed(texts: readonly string[], purpose: Purpose): Promise<Float32Array[]>;
};

export type Purpose = 'query' | 'issues';

/** The provider doesn't respond, or doesn't return vectors. */
export class EmbeddingsUnavailable extends Error {}

/** Scales a vector to length 1, in place. A zero vector stays unchanged. */
export function normalise(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (squares === 0) return vector;
  const scale = 1 / Math.sqrt(squares);
  for (let at = 0; at < vector.length; at++) vector[at] = (vector[at] ?? 0) * scale;
  return vector;
}
