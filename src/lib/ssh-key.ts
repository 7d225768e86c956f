import { createHash, createPublicKey, type KeyObject, type webcrypto } from 'node:crypto';

/** A public key as an OpenSSH line without a comment, and its fingerprint. */
export type SshKey = { key: string; fingerprint: string };

/** A public key. `application` is the application of a security key, which other keys lack. */
export type ReadSshKey = { type: string; key: KeyObject; application: Buffer | undefined };

/** Reads the fields of one of OpenSSH's binary formats in order. */
type SshFields = {
  /** The next field; undefined if the rest is too short for it. */
  next(): Buffer | undefined;
  /** The next bytes, which aren't a field; undefined if fewer remain. */
  take(length: number): Buffer | undefined;
  isAtEnd(): boolean;
};

/** Reads the key after its type. Undefined if a field is missing or has the wrong length. */
type KeyReader = (fields: SshFields) => webcrypto.JsonWebKey | undefined;

const base64 = (bytes: Buffer): string => bytes.toString('base64url');

const ed25519: KeyReader = (fields) => {
  const x = fields.next();
  return x?.length === 32 ? { kty: 'OKP', crv: 'Ed25519', x: base64(x) } : undefined;
};

/** RFC 4251: the first bit of a positive number is 0, and it has no unnecessary leading zeros. */
const isPositive = ([first = 0, second = 0]: Buffer): boolean => (first > 0 ? first < 0x80 : second >= 0x80);

const rsa: KeyReader = (fields) => {
  const [e, n] = [fields.next(), fields.next()];
  return e && n && isPositive(e) && isPositive(n) && n.length >= minModulus
    ? { kty: 'RSA', e: base64(e), n: base64(n) }
    : undefined;
};

/** 2,048 bits. Shorter keys are too weak. */
const minModulus = 256;

const ecdsa =
  (name: string, crv: string, size: number): KeyReader =>
  (fields) => {
    const [curve, point] = [fields.next(), fields.next()];
    if (curve?.toString('latin1') !== name || point?.length !== 1 + 2 * size || point[0] !== 4) return undefined;
    return { kty: 'EC', crv, x: base64(point.subarray(1, 1 + size)), y: base64(point.subarray(1 + size)) };
  };

const p256 = ecdsa('nistp256', 'P-256', 32);

const readers = new Map<string, KeyReader>([
  ['ssh-ed25519', ed25519],
  ['ssh-rsa', rsa],
  ['ecdsa-sha2-nistp256', p256],
  ['ecdsa-sha2-nistp384', ecdsa('nistp384', 'P-384', 48)],
  ['ecdsa-sha2-nistp521', ecdsa('nistp521', 'P-521', 66)],
  // Security keys end with an application.
  ['sk-ssh-ed25519@openssh.com', ed25519],
  ['sk-ecdsa-sha2-nistp256@openssh.com', p256],
]);

/** Parses a line in OpenSSH's public key format (RFC 4253, 6.6). Undefined if it isn't exactly one complete key. */
export function parseSshKey(line: string): SshKey | undefined {
  const [type = '', encoded = ''] = line.trim().split(/\s+/);
  const blob = Buffer.from(encoded, 'base64');
  const read = blob.toString('base64') === encoded ? readSshKey(blob) : undefined;
  return read?.type === type ? { key: `${type} ${encoded}`, fingerprint: fingerprintOf(blob) } : undefined;
}

/** The fingerprint of a key in binary form, in the format of `ssh-keygen -l`. */
export const fingerprintOf = (blob: Buffer): string =>
  `SHA256:${createHash('sha256').update(blob).digest('base64').replaceAll('=', '')}`;

/** Reads a key in binary form. Undefined if it isn't exactly one complete key. */
export function readSshKey(blob: Buffer): ReadSshKey | undefined {
  const fields = sshFields(blob);
  const type = fields.next()?.toString('latin1') ?? '';
  const jwk = readers.get(type)?.(fields);
  const application = jwk && type.startsWith('sk-') ? fields.next() : undefined;
  if (!jwk || !fields.isAtEnd() || application?.length === 0 || (type.startsWith('sk-') && !application)) return undefined;
  const key = keyOf(jwk);
  return key && { type, key, application };
}

/** The fields of a key or a signature. Each consists of its length in four bytes, and that many bytes. */
export function sshFields(blob: Buffer): SshFields {
  let at = 0;
  const take = (length: number): Buffer | undefined => {
    if (length > blob.length - at) return undefined;
    at += length;
    return blob.subarray(at - length, at);
  };
  return {
    next() {
      const length = take(4)?.readUInt32BE();
      return length === undefined ? undefined : take(length);
    },
    take,
    isAtEnd: () => at === blob.length,
  };
}

/** The key with these numbers; undefined if they are invalid, for example if a point isn't on its curve. */
function keyOf(key: webcrypto.JsonWebKey): KeyObject | undefined {
  try {
    return createPublicKey({ key, format: 'jwk' });
  } catch {
    return undefined;
  }
}
