// OpenPGP's armor and packets (RFC 9580, and RFC 4880 before it).

/** A text isn't valid OpenPGP. For public keys, the message explains the problem to the sender. */
export class OpenPgpError extends Error {}

export type Packet = { tag: number; body: Buffer };

/** Reads the parts of a packet in order. @throws OpenPgpError if the rest is too short */
export type Reader = {
  u8(): number;
  u16(): number;
  u32(): number;
  take(length: number): Buffer;
  left(): number;
};

export function readerOf(bytes: Buffer): Reader {
  let at = 0;
  const take = (length: number): Buffer => {
    if (length > bytes.length - at) throw new OpenPgpError('the key is cut off');
    at += length;
    return bytes.subarray(at - length, at);
  };
  return {
    u8: () => take(1).readUInt8(),
    u16: () => take(2).readUInt16BE(),
    u32: () => take(4).readUInt32BE(),
    take,
    left: () => bytes.length - at,
  };
}

const begin = /^-----BEGIN PGP (.+)-----$/;

/** The content type of an armor, from its first line. */
type Block = 'PUBLIC KEY BLOCK' | 'SIGNATURE';

/** The bytes in the armor of a public key or a signature, which must be the entire text. */
export function dearmor(text: string, block: Block = 'PUBLIC KEY BLOCK'): Buffer {
  const lines = text
    .trim()
    .split(/\r?\n/)
    .map((line) => line.trimEnd());
  const kind = begin.exec(lines[0] ?? '')?.[1];
  if (kind?.startsWith('PRIVATE KEY BLOCK')) throw new OpenPgpError('it is a private key, which nobody but you should have');
  if (kind !== block || lines.at(-1) !== `-----END PGP ${block}-----`)
    throw new OpenPgpError('it is not an armored OpenPGP public key');
  const blank = lines.indexOf('');
  const data = blank < 0 ? [] : lines.slice(blank + 1, -1).filter((line) => line !== '');
  const checksum = /^=[A-Za-z0-9+/]{4}$/.test(data.at(-1) ?? '') ? data.pop() : undefined;
  const encoded = data.join('');
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.length === 0 || bytes.toString('base64') !== encoded) throw new OpenPgpError('its armor is damaged');
  // RFC 9580 accepts keys with a wrong checksum. Here somebody has just pasted the text, and wants to know.
  if (checksum !== undefined && checksum.slice(1) !== checksumOf(bytes)) throw new OpenPgpError('its armor is damaged');
  return bytes;
}

/** CRC-24, in base64. */
export function checksumOf(bytes: Buffer): string {
  let crc = 0xb704ce;
  for (const byte of bytes) {
    crc ^= byte << 16;
    for (let bit = 0; bit < 8; bit++) crc = (crc << 1) ^ (crc & 0x800000 ? 0x1864cfb : 0);
  }
  return Buffer.from([(crc >> 16) & 0xff, (crc >> 8) & 0xff, crc & 0xff]).toString('base64');
}

const maxPackets = 1_000;

/** The packets of a key. Their lengths must be known. */
export function readPackets(bytes: Buffer): Packet[] {
  const reader = readerOf(bytes);
  const packets: Packet[] = [];
  while (reader.left() > 0) {
    if (packets.length === maxPackets) throw new OpenPgpError(`it has more than ${maxPackets} packets`);
    const head = reader.u8();
    if ((head & 0x80) === 0) throw new OpenPgpError('its packets are damaged');
    const [tag, length] = head & 0x40 ? [head & 0x3f, newLength(reader)] : [(head >> 2) & 0x0f, oldLength(reader, head & 3)];
    packets.push({ tag, body: reader.take(length) });
  }
  return packets;
}

function newLength(reader: Reader): number {
  const first = reader.u8();
  if (first < 192) return first;
  if (first < 224) return ((first - 192) << 8) + reader.u8() + 192;
  if (first === 255) return reader.u32();
  throw new OpenPgpError('its packets are in parts');
}

function oldLength(reader: Reader, kind: number): number {
  if (kind === 0) return reader.u8();
  if (kind === 1) return reader.u16();
  if (kind === 2) return reader.u32();
  throw new OpenPgpError('its packets have no length');
}

/** A packet as bytes, in the newer format. */
export function writePacket({ tag, body }: Packet): Buffer {
  const { length } = body;
  const two = length - 192;
  const size =
    length < 192
      ? [length]
      : two < 8_192
        ? [(two >> 8) + 192, two & 0xff]
        : [255, ...[24, 16, 8, 0].map((by) => (length >>> by) & 0xff)];
  return Buffer.concat([Buffer.from([0xc0 | tag, ...size]), body]);
}
