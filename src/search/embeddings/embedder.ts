/** Turns texts into vectors of length 1, near each other where the texts mean the like. */
export type Embedder = {
  /** Provider, model and revision: vectors of different identities are never compared. */
  readonly identity: string;
  /** Texts that are less alike than this have nothing to do with each other. */
  readonly least: number;
  /**
   * One vector a text, in their order. A query is waited for by somebody, so it is given up soon; issues can wait.
   * @throws EmbeddingsUnavailable
   */
  embed(texts: readonly string[], purpose: Purpose): Promise<Float32Array[]>;
};

export type Purpose = 'query' | 'issues';

/** The provider doesn't answer, or not with vectors. */
export class EmbeddingsUnavailable extends Error {}

/** Scales a vector to length 1, in place; one without any direction stays as it is. */
export function normalise(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (squares === 0) return vector;
  const scale = 1 / Math.sqrt(squares);
  for (let at = 0; at < vector.length; at++) vector[at] = (vector[at] ?? 0) * scale;
  return vector;
}
