import { createHash, randomBytes } from 'node:crypto';
import { checksumOf, type Packet, writePacket } from '#lib/openpgp/packets.ts';

export type Subpackets = Readonly<Record<number, Buffer>>;

export const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

const u16 = (value: number): Buffer => u32(value).subarray(2);

/** When the keys that are made here were made: 2025-01-01, in seconds. */
export const created = 1_735_689_600;

/** A packet of an Ed25519 key of version 4, which nobody has the private part of. */
export const keyPacket = (tag = 6): Packet => {
  const oid = Buffer.from('092b06010401da470f01', 'hex');
  const point = Buffer.concat([u16(263), Buffer.from([0x40]), randomBytes(32)]);
  return { tag, body: Buffer.concat([Buffer.from([4]), u32(created), Buffer.from([22]), oid, point]) };
};

/** A packet of a key of numbers of so many bits, which nobody has the private part of. */
export const numbersPacket = (algorithm: number, bits: readonly number[], tag = 6): Packet => {
  const numbers = bits.map((count) => Buffer.concat([u16(count), Buffer.alloc(Math.ceil(count / 8), 0xff)]));
  return { tag, body: Buffer.concat([Buffer.from([4]), u32(created), Buffer.from([algorithm]), ...numbers]) };
};

/** The same of RSA. */
export const rsaPacket = (modulus: number, exponent: number, tag = 6): Packet => numbersPacket(1, [modulus, exponent], tag);

export const fingerprintOf = ({ body }: Packet): Buffer =>
  createHash('sha1')
    .update(Buffer.from([0x99]))
    .update(u16(body.length))
    .update(body)
    .digest();

const subpacketsOf = (all: Subpackets): Buffer =>
  Buffer.concat(Object.entries(all).map(([type, body]) => Buffer.from([body.length + 1, Number(type), ...body])));

/** A signature of `issuer`, whose numbers mean nothing. */
export function signaturePacket(type: number, issuer: Packet, hashed: Subpackets = {}): Packet {
  const inside = subpacketsOf({ 2: u32(created), 33: Buffer.from([4, ...fingerprintOf(issuer)]), ...hashed });
  const outside = subpacketsOf({ 16: fingerprintOf(issuer).subarray(-8) });
  const head = Buffer.from([4, type, 22, 8]);
  const numbers = Buffer.concat([u16(8), Buffer.from([200]), u16(8), Buffer.from([200])]);
  const body = Buffer.concat([head, u16(inside.length), inside, u16(outside.length), outside, Buffer.from([1, 2]), numbers]);
  return { tag: 2, body };
}

export const userIdPacket = (text: string): Packet => ({ tag: 13, body: Buffer.from(text) });

export const armor = (bytes: Buffer): string =>
  [
    '-----BEGIN PGP PUBLIC KEY BLOCK-----',
    '',
    ...(bytes.toString('base64').match(/.{1,64}/g) ?? []),
    `=${checksumOf(bytes)}`,
    '-----END PGP PUBLIC KEY BLOCK-----',
  ].join('\n');

export const armored = (packets: readonly Packet[]): string => armor(Buffer.concat(packets.map(writePacket)));

/** A new key with these user ids, and so many subkeys. */
export function newKey(userIds: readonly string[] = ['Ada <ada@example.org>'], subkeys = 0): string {
  const key = keyPacket();
  return armored([
    key,
    ...userIds.flatMap((text) => [userIdPacket(text), signaturePacket(0x13, key, { 27: Buffer.from([3]) })]),
    ...Array.from({ length: subkeys }, () => [keyPacket(14), signaturePacket(0x18, key, { 27: Buffer.from([2]) })]).flat(),
  ]);
}
