import { createHash } from 'node:crypto';
import { isEmailAddress } from '#lib/email.ts';
import { dearmor, OpenPgpError, type Packet, type Reader, readerOf, readPackets, writePacket } from './packets.ts';
import { readSignature, type Signature, signatureTypes } from './signature.ts';

/** A primary key or a subkey. */
export type KeyPart = {
  /** 16 hexadecimal digits. */
  keyId: string;
  fingerprint: string;
  /** Its packet, in base64. */
  publicKey: string;
  canSign: boolean;
  canEncryptComms: boolean;
  canEncryptStorage: boolean;
  canCertify: boolean;
  expiresAt: Date | undefined;
  revoked: boolean;
};

export type OpenPgpKey = {
  primary: KeyPart;
  subkeys: KeyPart[];
  /** The addresses of its user ids, without revoked ones. */
  emails: string[];
};

/** The numbers of packets. */
export const tags = {
  signature: 2,
  secretKey: 5,
  publicKey: 6,
  secretSubkey: 7,
  userId: 13,
  publicSubkey: 14,
  userAttribute: 17,
};

/**
 * Reads the armored text of one public key (RFC 9580) of version 4 or 6: its parts, their purposes and validity, from the key's
 * own signatures. These aren't verified, since whoever adds a key only makes claims about it. Signatures by other keys are
 * omitted.
 * @throws OpenPgpError if the text isn't a complete public key
 */
export function parseOpenPgpKey(text: string): OpenPgpKey {
  const packets = readPackets(dearmor(text));
  // Also of subkeys that the key doesn't claim: programs look at all.
  if (!packets.every(hasUsualNumbers)) throw new OpenPgpError('its numbers are larger than those of any usual key');
  if (packets.some(({ tag }) => tag === tags.secretKey || tag === tags.secretSubkey))
    throw new OpenPgpError('it is a private key, which nobody but you should have');
  const [first, ...rest] = packets;
  if (first?.tag !== tags.publicKey) throw new OpenPgpError('it does not begin with a public key');
  if (rest.some(({ tag }) => tag === tags.publicKey)) throw new OpenPgpError('it holds more than one key');
  const key = readKey(first);
  const components = componentsOf(packets, key);
  if (components.flatMap(({ signatures }) => signatures).length > maxSignatures)
    throw new OpenPgpError(`it has more than ${maxSignatures} signatures of its own`);
  const [own, ...others] = components;
  const identities = others.filter(({ packet }) => packet.tag !== tags.publicSubkey);
  const valid = identities.filter(isCertified);
  const subkeys = others.filter(({ packet }) => packet.tag === tags.publicSubkey).flatMap(subkeyOf);
  if (subkeys.length > maxSubkeys) throw new OpenPgpError(`it has more than ${maxSubkeys} subkeys`);
  const emails = valid.flatMap(({ packet }) => (packet.tag === tags.userId ? emailsIn(packet.body.toString('utf8')) : []));
  return {
    primary: primaryOf(key, own?.signatures ?? [], valid.length > 0 ? valid : identities),
    subkeys,
    emails: [...new Set(emails)],
  };
}

const maxSubkeys = 50;
/** A program that uses the key verifies all of them. */
const maxSignatures = 200;

/** A key, a user id or a subkey, with the primary key's signatures about it. */
type Component = { packet: Packet; signatures: Signature[] };

const componentTags = [tags.publicKey, tags.userId, tags.userAttribute, tags.publicSubkey];

function componentsOf(packets: readonly Packet[], { fingerprint, keyId }: KeyPacket): Component[] {
  const components: Component[] = [];
  for (const packet of packets) {
    if (componentTags.includes(packet.tag)) components.push({ packet, signatures: [] });
    if (packet.tag !== tags.signature) continue;
    const signature = readSignature(packet.body);
    if (signature?.issuer === fingerprint || signature?.issuer === keyId) components.at(-1)?.signatures.push(signature);
  }
  return components;
}

/** The newest signature of the given types. */
const newest = (signatures: readonly Signature[], types: readonly number[]): Signature | undefined =>
  signatures
    .filter(({ type }) => types.includes(type))
    .reduce<Signature | undefined>((best, next) => (best && best.created > next.created ? best : next), undefined);

const { certifications, certificationRevocation, subkeyBinding, subkeyRevocation, directKey, keyRevocation } = signatureTypes;

/** Whether the key claims a user id, and hasn't revoked it later. */
function isCertified({ signatures }: Component): boolean {
  const claim = newest(signatures, certifications);
  const end = newest(signatures, [certificationRevocation]);
  return claim !== undefined && !(end && end.created >= claim.created);
}

/**
 * The primary key. Keys of version 4 have their purposes in the signatures of their user ids, and keys of version 6 in a
 * signature on themselves.
 */
function primaryOf(key: KeyPacket, signatures: readonly Signature[], identities: readonly Component[]): KeyPart {
  const ofIdentities = newest(
    identities.flatMap((identity) => identity.signatures),
    certifications,
  );
  const ofKey = newest(signatures, [directKey]);
  const binding = key.version === 6 ? (ofKey ?? ofIdentities) : (ofIdentities ?? ofKey);
  if (!binding) throw new OpenPgpError('it has no signature of its own');
  return partOf(key, binding, { isPrimary: true, revoked: newest(signatures, [keyRevocation]) !== undefined });
}

/** A subkey; none if the primary key doesn't claim it. */
function subkeyOf({ packet, signatures }: Component): KeyPart[] {
  const binding = newest(signatures, [subkeyBinding]);
  if (!binding) return [];
  return [partOf(readKey(packet), binding, { isPrimary: false, revoked: newest(signatures, [subkeyRevocation]) !== undefined })];
}

/** The bits of the key flags. */
const flagBits = { certify: 1, sign: 2, encryptComms: 4, encryptStorage: 8 };
const signingAlgorithms = [1, 3, 17, 19, 22, 27, 28];
const encryptingAlgorithms = [1, 2, 16, 18, 25, 26];

/** Without flags, a key may be used for everything that its algorithm supports. */
function partOf(
  { keyId, fingerprint, publicKey, created, algorithm }: KeyPacket,
  { flags, keyExpires }: Signature,
  { isPrimary, revoked }: { isPrimary: boolean; revoked: boolean },
): KeyPart {
  const [signs, encrypts] = [signingAlgorithms.includes(algorithm), encryptingAlgorithms.includes(algorithm)];
  const may = (bit: number, byDefault: boolean): boolean => (flags === undefined ? byDefault : (flags & bit) !== 0);
  return {
    keyId,
    fingerprint,
    publicKey,
    canSign: may(flagBits.sign, signs),
    canEncryptComms: may(flagBits.encryptComms, encrypts),
    canEncryptStorage: may(flagBits.encryptStorage, encrypts),
    canCertify: isPrimary && may(flagBits.certify, signs),
    expiresAt: keyExpires === undefined ? undefined : new Date((created + keyExpires) * 1_000),
    revoked,
  };
}

/** The address in a user id, which is an address or ends with one, such as `Ada <ada@example.org>`. */
function emailsIn(userId: string): string[] {
  const address = /<([^<>]*)>\s*$/.exec(userId)?.[1] ?? userId.trim();
  return isEmailAddress(address) ? [address] : [];
}

type KeyPacket = {
  version: number;
  /** Seconds since 1970. */
  created: number;
  algorithm: number;
  fingerprint: string;
  keyId: string;
  publicKey: string;
};

/** Reads the packet of a key. The fingerprint is a hash of it (RFC 9580, 5.5.4). */
function readKey(packet: Packet): KeyPacket {
  const { body } = packet;
  const reader = readerOf(body);
  const version = reader.u8();
  if (version !== 4 && version !== 6) throw new OpenPgpError('keys of its version are not supported');
  const created = reader.u32();
  const algorithm = reader.u8();
  if (version === 6 && reader.u32() !== reader.left()) throw new OpenPgpError('its packets are damaged');
  const readMaterial = materials.get(algorithm);
  if (!readMaterial) throw new OpenPgpError('keys of its algorithm are not supported');
  readMaterial(reader);
  if (reader.left() > 0) throw new OpenPgpError('its packets are damaged');
  const head = Buffer.alloc(version === 4 ? 3 : 5, version === 4 ? 0x99 : 0x9b);
  head.writeUIntBE(body.length, 1, head.length - 1);
  const hash = createHash(version === 4 ? 'sha1' : 'sha256')
    .update(head)
    .update(body)
    .digest('hex')
    .toUpperCase();
  const keyId = version === 4 ? hash.slice(-16) : hash.slice(0, 16);
  return { version, created, algorithm, fingerprint: hash, keyId, publicKey: writePacket(packet).toString('base64') };
}

/**
 * The maximum bits of the numbers of RSA (modulus and exponent) and of DSA (p, q, g and y). No program makes larger ones. They
 * would let somebody make the verification of a signature as slow as they want, exponents above all.
 */
const mostBits: ReadonlyMap<number, readonly number[]> = new Map<number, readonly number[]>([
  [1, [8_192, 64]],
  [2, [8_192, 64]],
  [3, [8_192, 64]],
  [17, [3_072, 256, 3_072, 3_072]],
]);

/** Whether a signature of the key in a packet is verified fast. Packets that aren't keys are passed over. */
export function hasUsualNumbers({ tag, body }: Packet): boolean {
  if (tag !== tags.publicKey && tag !== tags.publicSubkey) return true;
  const reader = readerOf(body);
  const version = reader.u8();
  reader.u32();
  const most = mostBits.get(reader.u8());
  if (version === 6) reader.u32();
  return (most ?? []).every((bits) => {
    const given = reader.u16();
    reader.take(Math.ceil(given / 8));
    return given <= bits;
  });
}

/** A number, preceded by its bit count. */
const number = (reader: Reader): void => void reader.take(Math.ceil(reader.u16() / 8));
const numbers =
  (count: number) =>
  (reader: Reader): void => {
    for (let i = 0; i < count; i++) number(reader);
  };
const octets = (reader: Reader): void => void reader.take(reader.u8());
const fixed =
  (length: number) =>
  (reader: Reader): void =>
    void reader.take(length);
const onCurve = (reader: Reader): void => {
  octets(reader);
  number(reader);
};

/** The key material of each algorithm (RFC 9580, 5.5.5 and 9.1). */
const materials: ReadonlyMap<number, (reader: Reader) => void> = new Map([
  [1, numbers(2)], // RSA
  [2, numbers(2)],
  [3, numbers(2)],
  [16, numbers(3)], // Elgamal
  [17, numbers(4)], // DSA
  [
    18, // ECDH, with its key derivation functions
    (reader: Reader) => {
      onCurve(reader);
      octets(reader);
    },
  ],
  [19, onCurve], // ECDSA
  [22, onCurve], // EdDSA, from before RFC 9580
  [25, fixed(32)], // X25519
  [26, fixed(56)], // X448
  [27, fixed(32)], // Ed25519
  [28, fixed(57)], // Ed448
]);
