import { createHash, verify } from 'node:crypto';
import { type ReadSshKey, readSshKey, sshFields } from '#lib/ssh-key.ts';

/** A signature for authentication (RFC 4252, 7). */
type Signature = {
  /** The signed data. */
  data: Buffer;
  /** The signature without the name of its algorithm. An ECDSA signature is in DER. */
  bytes: Buffer;
  /** The hash for an RSA key's signature. */
  hash: string | undefined;
};

/** Whether the key, in its binary form, made a signature. Also false for a key that Hearth doesn't accept. */
export function isSignedBy(blob: Buffer, signature: Signature): boolean {
  const read = readSshKey(blob);
  if (!read) return false;
  const { type, key, application } = read;
  const { data, bytes, hash } = signature;
  if (type === 'ssh-rsa') return (hash === 'sha256' || hash === 'sha512') && verify(hash, data, key, bytes);
  if (application !== undefined) return isSignedOnDevice({ type, key, application }, signature);
  return verify(curveHashes.get(type) ?? null, data, key, bytes);
}

/** The hashes for ECDSA signatures (RFC 5656, 6.2.1). Ed25519 has none. */
const curveHashes = new Map([
  ['ecdsa-sha2-nistp256', 'sha256'],
  ['ecdsa-sha2-nistp384', 'sha384'],
  ['ecdsa-sha2-nistp521', 'sha512'],
]);

/**
 * A security key signs two hashes with its flags and counter between them. These follow the signature (OpenSSH's PROTOCOL.u2f).
 */
function isSignedOnDevice(
  { type, key, application }: Pick<ReadSshKey, 'type' | 'key'> & { application: Buffer },
  { data, bytes }: Signature,
): boolean {
  const end = bytes.length - deviceBytes;
  if (end < 0 || ((bytes[end] ?? 0) & userPresent) === 0) return false;
  const digest = (content: Buffer): Buffer => createHash('sha256').update(content).digest();
  const signed = Buffer.concat([digest(application), bytes.subarray(end), digest(data)]);
  const made = bytes.subarray(0, end);
  if (type === 'sk-ssh-ed25519@openssh.com') return verify(null, signed, key, made);
  const numbers = fixedNumbers(made);
  return numbers !== undefined && verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, numbers);
}

/** One byte of flags, and four bytes of a counter. */
const deviceBytes = 5;
/** The flag for a touch of the device. */
const userPresent = 1;

/** The two numbers of a P-256 signature, each in 32 bytes. */
function fixedNumbers(bytes: Buffer): Buffer | undefined {
  const fields = sshFields(bytes);
  const padded: Buffer[] = [];
  for (const number of [fields.next(), fields.next()]) {
    const digits = number?.subarray(number[0] === 0 ? 1 : 0);
    if (digits === undefined || digits.length > 32) return undefined;
    padded.push(Buffer.alloc(32 - digits.length), digits);
  }
  return fields.isAtEnd() ? Buffer.concat(padded) : undefined;
}
