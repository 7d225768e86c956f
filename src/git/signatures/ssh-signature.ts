// Signatures of SSH keys, as `ssh-keygen -Y sign` and `git commit -S` make them (OpenSSH's PROTOCOL.sshsig, and PROTOCOL.u2f for
// security keys).
import { createHash, type KeyObject, verify } from 'node:crypto';
import { fingerprintOf, readSshKey, sshFields } from '#lib/ssh-key.ts';
import { dearmorSsh } from './armor.ts';

export type SshSignature = {
  /** The fingerprint of the claimed signing key, and the key. Its type may be one that no account can have. */
  fingerprint: string;
  key: Buffer;
  namespace: Buffer;
  reserved: Buffer;
  hash: HashName;
  algorithm: string;
  /** The output of the algorithm. */
  value: Buffer;
  /** Flags and counter of a security key; empty for others. */
  device: Buffer;
};

type HashName = 'sha256' | 'sha512';

const magic = Buffer.from('SSHSIG');
const version = 1;
/** Flags, one byte, and a counter, four. */
const deviceSize = 5;

/** Reads an armored signature. Undefined if it isn't exactly one complete signature. */
export function parseSshSignature(armored: string): SshSignature | undefined {
  const bytes = dearmorSsh(armored);
  const fields = sshFields(bytes ?? Buffer.alloc(0));
  if (!fields.take(magic.length)?.equals(magic) || fields.take(4)?.readUInt32BE() !== version) return undefined;
  const [key, namespace, reserved, hashName, signature] = [1, 2, 3, 4, 5].map(() => fields.next());
  const hash = hashOf(hashName?.toString('latin1'));
  if (!key || !namespace || !reserved || !hash || !signature || !fields.isAtEnd()) return undefined;
  const parts = sshFields(signature);
  const algorithm = parts.next()?.toString('latin1');
  const value = parts.next();
  if (algorithm === undefined || !value) return undefined;
  const device = parts.take(algorithm.startsWith('sk-') ? deviceSize : 0);
  if (!device || !parts.isAtEnd()) return undefined;
  return { fingerprint: fingerprintOf(key), key, namespace, reserved, hash, algorithm, value, device };
}

const hashOf = (name: string | undefined): HashName | undefined => (name === 'sha256' || name === 'sha512' ? name : undefined);

/** The namespace of Git's signatures. A signature for another purpose, such as for a file, doesn't sign a commit. */
const gitNamespace = Buffer.from('git');

/** Whether the signature's key made it for these bytes, in Git's namespace. */
export function isSignatureOf(signature: SshSignature, payload: Buffer): boolean {
  const { namespace, reserved, hash, algorithm, value, device } = signature;
  const key = readSshKey(signature.key);
  const scheme = schemes.get(algorithm);
  if (!key || scheme?.keyType !== key.type || !namespace.equals(gitNamespace)) return false;
  const digest = createHash(hash).update(payload).digest();
  const signed = Buffer.concat([magic, ...[namespace, reserved, Buffer.from(hash), digest].map(field)]);
  const { application } = key;
  // A security key signs two hashes with its flags and counter between them. Whether a touch is required is the owner's choice.
  const bytes = application ? Buffer.concat([sha256(application), device, sha256(signed)]) : signed;
  try {
    return scheme.verify(bytes, key.key, value);
  } catch {
    return false; // the value has another format
  }
}

const sha256 = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();

/** A field of the SSH protocol. */
function field(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

type Verify = (signed: Buffer, key: KeyObject, value: Buffer) => boolean;

const ed25519: Verify = (signed, key, value) => verify(null, signed, key, value);

const rsa =
  (hash: HashName): Verify =>
  (signed, key, value) =>
    verify(hash, signed, key, value);

/** The value has two numbers, each as long as the curve's numbers. */
const ecdsa =
  (hash: string, size: number): Verify =>
  (signed, key, value) => {
    const fields = sshFields(value);
    const [r, s] = [fixedNumber(fields.next(), size), fixedNumber(fields.next(), size)];
    if (!r || !s || !fields.isAtEnd()) return false;
    return verify(hash, signed, { key, dsaEncoding: 'ieee-p1363' }, Buffer.concat([r, s]));
  };

/** A positive number in the format of RFC 4251, as a fixed number of bytes. */
function fixedNumber(bytes: Buffer | undefined, size: number): Buffer | undefined {
  if (!bytes || (bytes[0] ?? 0) >= 0x80) return undefined;
  const digits = bytes[0] === 0 ? bytes.subarray(1) : bytes;
  return digits.length > size ? undefined : Buffer.concat([Buffer.alloc(size - digits.length), digits]);
}

/** The verification method of each algorithm, and the type of its keys. SHA-1 with RSA isn't supported. */
const schemes: ReadonlyMap<string, { keyType: string; verify: Verify }> = new Map([
  ['ssh-ed25519', { keyType: 'ssh-ed25519', verify: ed25519 }],
  ['rsa-sha2-256', { keyType: 'ssh-rsa', verify: rsa('sha256') }],
  ['rsa-sha2-512', { keyType: 'ssh-rsa', verify: rsa('sha512') }],
  ['ecdsa-sha2-nistp256', { keyType: 'ecdsa-sha2-nistp256', verify: ecdsa('sha256', 32) }],
  ['ecdsa-sha2-nistp384', { keyType: 'ecdsa-sha2-nistp384', verify: ecdsa('sha384', 48) }],
  ['ecdsa-sha2-nistp521', { keyType: 'ecdsa-sha2-nistp521', verify: ecdsa('sha512', 66) }],
  ['sk-ssh-ed25519@openssh.com', { keyType: 'sk-ssh-ed25519@openssh.com', verify: ed25519 }],
  ['sk-ecdsa-sha2-nistp256@openssh.com', { keyType: 'sk-ecdsa-sha2-nistp256@openssh.com', verify: ecdsa('sha256', 32) }],
]);
