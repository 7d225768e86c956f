import { OpenPgpError, type Reader, readerOf } from './packets.ts';

/**
 * The meanings of signatures, by type (RFC 9580, 5.2.1). Certifications of a user id have four types, from generic to positive.
 */
export const signatureTypes = {
  certifications: [0x10, 0x11, 0x12, 0x13],
  certificationRevocation: 0x30,
  subkeyBinding: 0x18,
  subkeyRevocation: 0x28,
  directKey: 0x1f,
  keyRevocation: 0x20,
  /** Signatures of a document's bytes, or of its text. */
  documents: [0x00, 0x01],
} as const;

/** A signature of version 4 or 6. It isn't verified. */
export type Signature = {
  type: number;
  /** Seconds since 1970. */
  created: number;
  /** Seconds from the creation of the key to its expiry; undefined if it doesn't expire. */
  keyExpires: number | undefined;
  /** The first octet of the key flags; undefined if there are none. */
  flags: number | undefined;
  /** The key that made the signature: its fingerprint, or its id, in hexadecimal. */
  issuer: string | undefined;
};

const subpackets = { created: 2, keyExpires: 9, issuer: 16, flags: 27, issuerFingerprint: 33 };

/** Reads a signature packet. Undefined for other versions, which self-signatures of current keys don't have. */
export function readSignature(body: Buffer): Signature | undefined {
  const reader = readerOf(body);
  const version = reader.u8();
  if (version !== 4 && version !== 6) return undefined;
  const type = reader.u8();
  reader.take(2); // the algorithms
  const size = (): number => (version === 4 ? reader.u16() : reader.u32());
  const hashed = readSubpackets(readerOf(reader.take(size())));
  const all = new Map([...readSubpackets(readerOf(reader.take(size()))), ...hashed]); // the issuer may be in the unhashed part
  reader.take(2);
  if (reader.left() === 0) throw new OpenPgpError('a signature is cut off');
  const seconds = (name: 'created' | 'keyExpires'): number => {
    const value = hashed.get(subpackets[name]);
    return value ? readerOf(value).u32() : 0;
  };
  const issuer = all.get(subpackets.issuerFingerprint)?.subarray(1) ?? all.get(subpackets.issuer);
  return {
    type,
    created: seconds('created'),
    keyExpires: seconds('keyExpires') || undefined,
    flags: hashed.get(subpackets.flags)?.[0],
    issuer: issuer?.toString('hex').toUpperCase(),
  };
}

/** Subpackets by type. */
function readSubpackets(reader: Reader): Map<number, Buffer> {
  const found = new Map<number, Buffer>();
  while (reader.left() > 0) {
    const first = reader.u8();
    const length = first < 192 ? first : first === 255 ? reader.u32() : ((first - 192) << 8) + reader.u8() + 192;
    const body = readerOf(reader.take(length));
    const type = body.u8() & 0x7f; // without the critical bit
    found.set(type, body.take(body.left()));
  }
  return found;
}
