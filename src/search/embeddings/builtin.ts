import { type Embedder, normalise } from './embedder.ts';
import { readTable, type Table } from './table.ts';
import { wordPieces } from './word-pieces.ts';

/** Changes whenever the table or the way of adding does: then every vector is made anew. */
const identity = 'builtin/minilm-l6/1';

/** 92 % of the issues that a query means are more alike to it, 80 % of all others are less (`bench/search/semantic`). */
const least = 0.1;

/** The table is read at the first use, once for the process. */
let table: Promise<Table> | undefined;

/**
 * Vectors without a model and without a network: the sum of a text's word pieces' vectors, from a table in this repository
 * that was distilled from all-MiniLM-L6-v2. Word order is lost; what the words mean is kept.
 */
export const builtinEmbedder = (): Embedder => ({
  identity,
  least,
  async embed(texts) {
    table ??= readTable();
    const loaded = await table;
    return texts.map((text) => vectorOf(text, loaded));
  },
});

function vectorOf(text: string, { vocabulary, dimensions, scales, components }: Table): Float32Array {
  const vector = new Float32Array(dimensions);
  for (const piece of wordPieces(text, vocabulary)) {
    const scale = scales[piece] ?? 0;
    const from = piece * dimensions;
    for (let at = 0; at < dimensions; at++) vector[at] = (vector[at] ?? 0) + scale * (components[from + at] ?? 0);
  }
  return normalise(vector);
}
