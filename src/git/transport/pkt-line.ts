import { GitError } from '../errors.ts';

/** One pkt-line of Git's wire protocol: data, or a special packet. */
export type Packet = { kind: 'data'; data: Buffer } | { kind: 'flush' | 'delimiter' | 'end' };

const maxData = 65_516;
const digits = /^[0-9a-f]{4}$/i;
const specialPackets = ['flush', 'delimiter', 'end'] as const;

/** Encodes a data packet. */
export function packet(data: Buffer | string): Buffer {
  const bytes = typeof data === 'string' ? Buffer.from(data) : data;
  if (bytes.length > maxData) throw new GitError('invalid', 'A packet is too long');
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, '0'), 'latin1'), bytes]);
}

export const flushPacket = Buffer.from('0000', 'latin1');

/**
 * Parses the first packet, and returns it with its length in bytes; undefined if it is incomplete.
 * @throws GitError `invalid`
 */
export function takePacket(bytes: Buffer): { packet: Packet; used: number } | undefined {
  if (bytes.length < 4) return undefined;
  const text = bytes.toString('latin1', 0, 4);
  if (!digits.test(text)) throw new GitError('invalid', 'The request is not in the Git protocol');
  const length = Number.parseInt(text, 16);
  const special = specialPackets[length];
  if (special) return { packet: { kind: special }, used: 4 };
  if (length < 4 || length > maxData + 4) throw new GitError('invalid', 'The request is not in the Git protocol');
  return bytes.length < length ? undefined : { packet: { kind: 'data', data: bytes.subarray(4, length) }, used: length };
}

/** Parses all packets. @throws GitError `invalid`, also if the last one is incomplete */
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
