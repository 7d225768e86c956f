import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { deflate, deflateSync } from 'node:zlib';
import { periodicYield } from '#lib/turns.ts';
import type { ObjectType } from './cat-file.ts';
import type { Oid } from './oid.ts';

/** An object to write. */
export type NewObject = { type: ObjectType; data: Buffer };

const typeNumbers: Record<ObjectType, number> = { commit: 1, tree: 2, blob: 3, tag: 4 };
const deflateAsync = promisify(deflate);

/**
 * Objects up to this size are compressed synchronously and with little memory, since the setup takes longer than the compression.
 */
const maxSyncSize = 4096;

/** zlib's result keeps its whole output buffer alive, so `chunkSize` is about the size of the result. */
const compress = async (data: Buffer): Promise<Buffer> =>
  data.length > maxSyncSize
    ? deflateAsync(data)
    : deflateSync(data, { windowBits: 12, memLevel: 5, chunkSize: Math.max(64, data.length + 32) });

/** The object name (SHA-1) of an object. */
export function oidOf({ type, data }: NewObject): Oid {
  return createHash('sha1').update(`${type} ${data.length}\0`).update(data).digest('hex');
}

/** A pack file of these objects, without deltas. */
export async function packOf(objects: readonly NewObject[]): Promise<Buffer> {
  const head = Buffer.alloc(12);
  head.write('PACK', 0, 'latin1');
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(objects.length, 8);
  const parts: Buffer[] = [head];
  const yieldIfNeeded = periodicYield();
  for (const { type, data } of objects) {
    parts.push(entryHeader(typeNumbers[type], data.length), await compress(data));
    await yieldIfNeeded();
  }
  const body = Buffer.concat(parts);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}

/** The header of a pack entry: type and size, with four bits of the size in the first byte and seven in each further byte. */
export function entryHeader(type: number, size: number): Buffer {
  const bytes: number[] = [];
  let byte = (type << 4) | (size & 15);
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.push(byte | 128);
    byte = rest % 128;
  }
  return Buffer.from([...bytes, byte]);
}
