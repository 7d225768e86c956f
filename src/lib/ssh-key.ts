import { createHash, createPublicKey, type webcrypto } from 'node:crypto';

/** A public key as a line of OpenSSH without its comment, and its fingerprint. */
export type SshKey = { key: string; fingerprint: string };

type Fields = {
  /** The next field; undefined where the rest is shorter than it says. */
  next(): Buffer | undefined;
  isAtEnd(): boolean;
};

/** Reads the key behind its type. Undefined where a field is missing or of another length. */
type KeyReader = (fields: Fields) => webcrypto.JsonWebKey | undefined;

const base64 = (bytes: Buffer): string => bytes.toString('base64url');

const ed25519: KeyReader = (fields) => {
  const x = fields.next();
  return x?.length === 32 ? { kty: 'OKP', crv: 'Ed25519', x: base64(x) } : undefined;
};

/** RFC 4251: a positive number begins with its first bit unset, and without needless zeros. */
const isPositive = ([first = 0, second = 0]: Buffer): boolean => (first > 0 ? first < 0x80 : second >= 0x80);

const rsa: KeyReader = (fields) => {
  const [e, n] = [fields.next(), fields.next()];
  return e && n && isPositive(e) && isPositive(n) && n.length >= minModulus
    ? { kty: 'RSA', e: base64(e), n: base64(n) }
    : undefined;
};

/** The public API's: 1,024 bits, which are 128 bytes. */
const minModulus = 128;

const ecdsa =
  (name: string, crv: string, size: number): KeyReader =>
  (fields) => {
    const [curve, point] = [fields.next(), fields.next()];
    if (curve?.toString('latin1') !== name || point?.length !== 1 + 2 * size || point[0] !== 4) return undefined;
    return { kty: 'EC', crv, x: base64(point.subarray(1, 1 + size)), y: base64(point.subarray(1 + size)) };
  };

/** The key of a security key names an application behind. */
const onDevice =
  (read: KeyReader): KeyReader =>
  (fields) => {
    const key = read(fields);
    return fields.next()?.length ? key : undefined;
  };

const p256 = ecdsa('nistp256', 'P-256', 32);

const readers = new Map<string, KeyReader>([
  ['ssh-ed25519', ed25519],
  ['ssh-rsa', rsa],
  ['ecdsa-sha2-nistp256', p256],
  ['ecdsa-sha2-nistp384', ecdsa('nistp384', 'P-384', 48)],
  ['ecdsa-sha2-nistp521', ecdsa('nistp521', 'P-521', 66)],
  ['sk-ssh-ed25519@openssh.com', onDevice(ed25519)],
  ['sk-ecdsa-sha2-nistp256@openssh.com', onDevice(p256)],
]);

/** Parses a line of OpenSSH's public key format (RFC 4253, 6.6). Undefined where it isn't a whole key, and nothing but one. */
export function parseSshKey(line: string): SshKey | undefined {
  const [type = '', encoded = ''] = line.trim().split(/\s+/);
  const blob = Buffer.from(encoded, 'base64');
  const fields = fieldsOf(blob);
  const read = readers.get(type);
  if (!read || blob.toString('base64') !== encoded || fields.next()?.toString('latin1') !== type) return undefined;
  const key = read(fields);
  if (!key || !fields.isAtEnd() || !isKey(key)) return undefined;
  const hash = createHash('sha256').update(blob).digest('base64');
  return { key: `${type} ${encoded}`, fingerprint: `SHA256:${hash.replace(/=+$/, '')}` };
}

/** The fields of a key: each is its length, in four bytes, and so many bytes. */
function fieldsOf(blob: Buffer): Fields {
  let at = 0;
  return {
    next() {
      const start = at + 4;
      const end = blob.length < start ? Number.POSITIVE_INFINITY : start + blob.readUInt32BE(at);
      if (end > blob.length) return undefined;
      at = end;
      return blob.subarray(start, end);
    },
    isAtEnd: () => at === blob.length,
  };
}

/** Whether the numbers are a key: a point must be on its curve. */
function isKey(key: webcrypto.JsonWebKey): boolean {
  try {
    createPublicKey({ key, format: 'jwk' });
    return true;
  } catch {
    return false;
  }
}
