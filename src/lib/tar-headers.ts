// Limits the headers of files in a tar. The tar reader accepts up to 4 MiB for each, and repeats the shared header of all files
// for each following header, all in one turn of the event loop.
import { interpreterLimits } from './limits/interpreters.ts';
import { fixedValue } from './limits.ts';
import { periodicYield } from './turns.ts';

const { archiveHeader, archiveSharedHeader } = interpreterLimits;
const blockSize = 512;
const typeAt = 156;
const sizeAt = 124;
const sizeEnd = 136;
const checksumAt = 148;

/** The maximum number of bytes of a header by its type: of all files, of one file, and of a long name or target. */
const most: ReadonlyMap<number, number> = new Map(
  Object.entries({
    g: fixedValue(archiveSharedHeader),
    x: fixedValue(archiveHeader),
    L: fixedValue(archiveHeader),
    K: fixedValue(archiveHeader),
  }).map(([type, bytes]) => [type.charCodeAt(0), bytes]),
);

/**
 * Passes on the bytes of a tar. Every block that could be a header is checked, since only the reader knows which blocks are
 * headers. A tar inside a file of the tar is therefore refused too.
 * @throws Error if a header is longer than the limits
 */
export async function* withShortHeaders(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const yieldNow = periodicYield();
  let rest: Buffer = Buffer.alloc(0);
  for await (const part of source) {
    const bytes = rest.length === 0 ? part : Buffer.concat([rest, part]);
    const end = bytes.length - (bytes.length % blockSize);
    for (let at = 0; at < end; at += blockSize)
      if (isLongHeader(bytes, at)) throw new Error('Invalid tar header: it is too long');
    rest = bytes.subarray(end);
    if (end > 0) yield bytes.subarray(0, end);
    await yieldNow();
  }
  if (rest.length > 0) yield rest;
}

function isLongHeader(bytes: Buffer, at: number): boolean {
  const limit = most.get(bytes[at + typeAt] ?? 0);
  return limit !== undefined && hasChecksum(bytes, at) && !(sizeIn(bytes.subarray(at + sizeAt, at + sizeEnd)) <= limit);
}

/** Sizes that aren't in octal digits belong to files beyond 8 GiB. */
const sizeIn = (field: Buffer): number => Number.parseInt(numberIn(field) || '0', 8);

const numberIn = (field: Buffer): string =>
  field.toString('latin1').replace(/^ */, '').split(' ', 1)[0]?.replace(/^\0*/, '') ?? '';

const blankChecksum = 8 * 0x20;

function hasChecksum(bytes: Buffer, at: number): boolean {
  let sum = blankChecksum;
  for (let offset = 0; offset < blockSize; offset++) if (offset < checksumAt || offset >= typeAt) sum += bytes[at + offset] ?? 0;
  return Number.parseInt(numberIn(bytes.subarray(at + checksumAt, at + typeAt)), 8) === sum;
}
