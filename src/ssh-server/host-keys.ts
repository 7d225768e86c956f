import ssh2 from 'ssh2';
import { fingerprintOf, type SshKey } from '#lib/ssh-key.ts';

/** A host key, which proves the server's identity. `privateKey` is in OpenSSH's format. */
export type HostKey = SshKey & { privateKey: string };

/** The kinds of the server's host keys, the preferred one first, each with its generation options. */
export const hostKeyKinds = {
  ed25519: () => ssh2.utils.generateKeyPairSync('ed25519'),
  ecdsa: () => ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 }),
  rsa: () => ssh2.utils.generateKeyPairSync('rsa', { bits: 3072 }),
} as const;
export type HostKeyKind = keyof typeof hostKeyKinds;

/**
 * Makes a private key. The library omits a leading zero in an Ed25519 key's bytes, about once in some hundred keys, and then
 * can't read its own output. Such a key is discarded.
 */
export function newHostKey(kind: HostKeyKind): string {
  for (;;) {
    const { private: privateKey } = hostKeyKinds[kind]();
    if (!(ssh2.utils.parseKey(privateKey) instanceof Error)) return privateKey;
  }
}

/** Reads a private key. @throws Error if it isn't one */
export function readHostKey(privateKey: string): HostKey {
  const parsed = ssh2.utils.parseKey(privateKey);
  if (parsed instanceof Error) throw parsed;
  if (!parsed.isPrivateKey()) throw new Error('It is no private key');
  const blob = parsed.getPublicSSH();
  return { privateKey, key: `${parsed.type} ${blob.toString('base64')}`, fingerprint: fingerprintOf(blob) };
}
