/** Small packs that unpack to a large size. */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import { entryHeader, oidOf } from '#git/objects/pack.ts';

const compress = promisify(deflate);
const types = { blob: 3, delta: 7 } as const;

/** An empty pack. */
export const emptyPack: Buffer = pack([]);

function pack(entries: readonly Buffer[]): Buffer {
  const head = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1');
  head.writeUInt32BE(entries.length, 8);
  const body = Buffer.concat([head, ...entries]);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}

/** A size in a delta: seven bits in each byte, the lowest first. */
function deltaSize(size: number): number[] {
  const bytes: number[] = [];
  let rest = size;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return [...bytes, rest];
}

const baseSize = 65_536;
/** Copies 65,536 bytes from the beginning of the base, which is the meaning of an omitted size. */
const copyBase = 0x80;

/**
 * A pack with a blob of 64 KiB and a delta that copies it up to the requested size.
 *
 * @returns the pack, and the name of the small blob: a client can't name the large one without building it
 */
export async function deltaBomb(size: number): Promise<{ pack: Buffer; oid: string }> {
  const base = Buffer.alloc(baseSize, 0x61);
  const oid = oidOf({ type: 'blob', data: base });
  const copies = Math.floor(size / baseSize);
  const delta = Buffer.concat([
    Buffer.from([...deltaSize(baseSize), ...deltaSize(copies * baseSize)]),
    Buffer.alloc(copies, copyBase),
  ]);
  return {
    oid,
    pack: pack([
      Buffer.concat([entryHeader(types.blob, base.length), await compress(base)]),
      Buffer.concat([entryHeader(types.delta, delta.length), Buffer.from(oid, 'hex'), await compress(delta)]),
    ]),
  };
}
