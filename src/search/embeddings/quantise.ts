/** A vector as it is stored: a byte a component, and the components' signs, a bit each. */
export type Quantised = { components: Buffer; code: Buffer };

/** Keeps a vector's direction: cosines differ by less than 0.01 from those of the vectors themselves. */
export function quantise(vector: Float32Array): Quantised {
  const greatest = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const scale = greatest === 0 ? 0 : 127 / greatest;
  return { components: Buffer.from(Int8Array.from(vector, (value) => Math.round(value * scale)).buffer), code: codeOf(vector) };
}

/** The signs of a vector's components, the first in the lowest bit of the first byte. */
export function codeOf(vector: Float32Array): Buffer {
  const code = Buffer.alloc(Math.ceil(vector.length / 32) * 4);
  for (const [at, value] of vector.entries()) if (value > 0) code[at >> 3] = (code[at >> 3] ?? 0) | (1 << (at & 7));
  return code;
}

/** The cosine of the angle between a vector of length 1 and a stored one; 0 where it can't be told. */
export function similarity(vector: Float32Array, components: Buffer): number {
  if (components.length !== vector.length) return 0;
  let dot = 0;
  let squares = 0;
  for (let at = 0; at < vector.length; at++) {
    const value = ((components[at] ?? 0) << 24) >> 24;
    dot += value * (vector[at] ?? 0);
    squares += value * value;
  }
  return squares === 0 ? 0 : dot / Math.sqrt(squares);
}
