// SARIF files as they are sent: compressed with gzip, and encoded as Base64.

import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { fixedValue, type LimitValues } from '#lib/limits.ts';
import { Refusal } from '#lib/refusal.ts';
import { codeScanningLimits } from './limits.ts';
import type { GatheredRuns } from './results.ts';
import { notSarif, sarifReader } from './sarif.ts';

type Bounds = LimitValues<typeof codeScanningLimits>;

const { packedSize, checkedSize } = codeScanningLimits;

/**
 * The compressed bytes of a file.
 * @throws Refusal 400 if the text isn't Base64 or its bytes aren't gzip data, 413 if there are too many
 */
export function decodePacked(text: string): Buffer {
  const most = fixedValue(packedSize);
  if (text.length > (most / 3) * 4 + 1_024) throw tooLarge();
  const compact = text.replace(/\s+/g, '');
  if (compact === '' || /[^A-Za-z0-9+/=_-]/.test(compact)) throw notSarif('sarif is not Base64 text');
  const packed = Buffer.from(compact, 'base64');
  if (packed.length > most) throw tooLarge();
  if (packed[0] !== 0x1f || packed[1] !== 0x8b) throw notSarif('sarif is not packed by gzip');
  return packed;
}

const tooLarge = (): Refusal => {
  const limit = 'codeScanning.packedSize';
  const message = `sarif must not exceed ${fixedValue(packedSize)} bytes when it is packed (${limit})`;
  return new Refusal('too_large', message, [{ resource: 'Sarif', field: 'sarif', code: 'too_large' }], { limit });
};

/** The decompressed parts of a file, limited. @throws Refusal 400 if it can't be decompressed, or has more than `most` bytes */
export async function* unpacked(packed: Readable | Buffer, most: number): AsyncGenerator<Buffer> {
  const gunzip = createGunzip();
  if (Buffer.isBuffer(packed)) gunzip.end(packed);
  else packed.on('error', (error) => gunzip.destroy(error)).pipe(gunzip);
  let size = 0;
  try {
    for await (const part of gunzip as AsyncIterable<Buffer>) {
      size += part.length;
      if (size > most) throw notSarif(`The file has more than ${most} bytes when it is unpacked (codeScanning.unpackedSize)`);
      yield part;
    }
  } catch (error) {
    if (isOfZlib(error)) throw notSarif('sarif can’t be unpacked by gzip');
    throw error;
  } finally {
    gunzip.destroy();
    if (!Buffer.isBuffer(packed)) packed.destroy();
  }
}

const isOfZlib = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('Z_');

/** Reads a whole file into `gathered`. @throws Refusal 400 if it isn't SARIF, or exceeds a limit */
export async function readWhole(packed: Readable | Buffer, gathered: GatheredRuns, bounds: Bounds): Promise<void> {
  const reader = sarifReader(gathered, bounds);
  for await (const part of unpacked(packed, bounds.unpackedSize)) {
    reader.write(part);
    await gathered.settle();
  }
  reader.end();
  await gathered.settle();
}

/**
 * Reads the start of a file, and all of a small one, so that errors there are reported immediately.
 * @throws Refusal 400
 */
export async function readBeginning(packed: Buffer, gathered: GatheredRuns, bounds: Bounds): Promise<void> {
  const reader = sarifReader(gathered, bounds);
  let left = fixedValue(checkedSize);
  for await (const part of unpacked(packed, bounds.unpackedSize)) {
    reader.write(part.subarray(0, left));
    await gathered.settle();
    left -= part.length;
    if (left <= 0) return;
  }
  reader.end();
  await gathered.settle();
}
