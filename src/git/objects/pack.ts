import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { deflate, deflateSync } from 'node:zlib';
import { sharedTurns } from '#lib/turns.ts';
import type { ObjectType } from './cat-file.ts';
import type { Oid } from './oid.ts';

/** An object to be written. */
export type NewObject = { type: ObjectType; data: Buffer };

const typeNumbers: Record<ObjectType, number> = { commit: 1, tree: 2, blob: 3, tag: 4 };
const deflateLater = promisify(deflate);

/** Up to so many bytes are packed at once, and with little memory: to set up more would take longer than to pack them. */
const small = 4096;

/** What is packed keeps its whole buffer, so that it gets one that fits. */
const compress = async (data: Buffer): Promise<Buffer> =>
  data.length > small
    ? deflateLater(data)
    : deflateSync(data, { windowBits: 12, memLevel: 5, chunkSize: Math.max(64, data.length + 32) });

/** The name that Git gives to these bytes. */
export function oidOf({ type, data }: NewObject): Oid {
  return createHash('sha1').update(`${type} ${data.length}\0`).update(data).digest('hex');
}

/** A pack of whole objects (no deltas), the form in which git takes many objects from one stream. */
export async function packOf(objects: readonly NewObject[]): Promise<Buffer> {
  const head = Buffer.alloc(12);
  head.write('PACK', 0, 'latin1');
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(objects.length, 8);
  const parts: Buffer[] = [head];
  const share = sharedTurns();
  for (const { type, data } of objects) {
    parts.push(entryHeader(typeNumbers[type], data.length), await compress(data));
    await share();
  }
  const body = Buffer.concat(parts);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}

/** Type and size of a pack's entry: four bits of the size in the first byte, seven in each further one. */
export function entryHeader(type: number, size: number): Buffer {
  const bytes: number[] = [];
  let byte = (type << 4) | (size & 15);
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.push(byte | 128);
    byte = rest % 128;
  }
  return Buffer.from([...bytes, byte]);
}
