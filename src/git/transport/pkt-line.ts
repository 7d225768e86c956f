import { GitError } from '../errors.ts';

/** One packet of Git's wire protocol: a line of bytes, or one of its marks. */
export type Packet = { kind: 'data'; data: Buffer } | { kind: 'flush' | 'delimiter' | 'end' };

const longestData = 65_516;
const digits = /^[0-9a-f]{4}$/i;
const marks = ['flush', 'delimiter', 'end'] as const;

/** A packet of these bytes. */
export function packet(data: Buffer | string): Buffer {
  const bytes = typeof data === 'string' ? Buffer.from(data) : data;
  if (bytes.length > longestData) throw new GitError('invalid', 'A packet is too long');
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, '0'), 'latin1'), bytes]);
}

export const flushPacket = Buffer.from('0000', 'latin1');

/**
 * Takes the first packet from the bytes and says how many it used; undefined when there aren't enough of them yet. Throws
 * `invalid` for bytes that begin no packet.
 */
export function takePacket(bytes: Buffer): { packet: Packet; used: number } | undefined {
  if (bytes.length < 4) return undefined;
  const text = bytes.toString('latin1', 0, 4);
  if (!digits.test(text)) throw new GitError('invalid', 'The request is not in the Git protocol');
  const length = Number.parseInt(text, 16);
  const mark = marks[length];
  if (mark) return { packet: { kind: mark }, used: 4 };
  if (length < 4 || length > longestData + 4) throw new GitError('invalid', 'The request is not in the Git protocol');
  return bytes.length < length ? undefined : { packet: { kind: 'data', data: bytes.subarray(4, length) }, used: length };
}

/** All packets of complete bytes; throws `invalid` when they end within one. */
export function parsePackets(bytes: Buffer): Packet[] {
  const packets: Packet[] = [];
  for (let rest = bytes; rest.length > 0; ) {
    const taken = takePacket(rest);
    if (!taken) throw new GitError('invalid', 'The packets break off');
    packets.push(taken.packet);
    rest = rest.subarray(taken.used);
  }
  return packets;
}
