import { readFile } from 'node:fs/promises';
import { type Vocabulary, vocabularyOf } from './word-pieces.ts';

/**
 * A vector for each word piece: `scales[piece] × components[piece × dimensions …]`. The scale includes the weight of the piece.
 */
export type Table = { vocabulary: Vocabulary; dimensions: number; scales: Float32Array; components: Int8Array };

const file = new URL('./word-pieces.bin', import.meta.url);
const magic = 'hearth-word-pieces/1';
const headerBytes = 32;

/**
 * Reads the table that `tools/embeddings/distil.py` wrote: a header of 32 bytes (the magic, then three little-endian numbers:
 * pieces, dimensions, bytes of text), a scale for each piece, the components, and the pieces, one on each line.
 */
export async function readTable(): Promise<Table> {
  const data = await readFile(file);
  if (data.toString('latin1', 0, magic.length) !== magic) throw new Error(`${file.pathname} is not a table of word pieces`);
  const count = data.readUInt32LE(20);
  const dimensions = data.readUInt32LE(24);
  const textBytes = data.readUInt32LE(28);
  const componentsAt = headerBytes + 4 * count;
  const textAt = componentsAt + count * dimensions;
  const pieces = data.toString('utf8', textAt, textAt + textBytes).split('\n');
  const scales = new Float32Array(count);
  for (let at = 0; at < count; at++) scales[at] = data.readFloatLE(headerBytes + 4 * at);
  return {
    vocabulary: vocabularyOf(pieces),
    dimensions,
    scales,
    components: new Int8Array(data.buffer, data.byteOffset + componentsAt, count * dimensions),
  };
}
