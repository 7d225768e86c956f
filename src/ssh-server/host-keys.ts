import ssh2 from 'ssh2';
import { fingerprintOf, type SshKey } from '#lib/ssh-key.ts';

/** A key by which the server shows that it is itself. `privateKey` is in the format of OpenSSH. */
export type HostKey = SshKey & { privateKey: string };

/** The kinds of keys that a server has, the preferred one first, each with the options by which one is made. */
export const hostKeyKinds = {
  ed25519: () => ssh2.utils.generateKeyPairSync('ed25519'),
  ecdsa: () => ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 }),
  rsa: () => ssh2.utils.generateKeyPairSync('rsa', { bits: 3072 }),
} as const;
export type HostKeyKind = keyof typeof hostKeyKinds;

/**
 * Makes a private key. The library leaves out a zero at the beginning of an Ed25519 key's bytes, once in some hundred keys, and can't read what
 * it wrote then: such a key is thrown away.
 */
export function newHostKey(kind: HostKeyKind): string {
  for (;;) {
    const { private: privateKey } = hostKeyKinds[kind]();
    if (!(ssh2.utils.parseKey(privateKey) instanceof Error)) return privateKey;
  }
}

/** Reads a private key. @throws Error for what is none */
export function readHostKey(privateKey: string): HostKey {
  const parsed = ssh2.utils.parseKey(privateKey);
  if (parsed instanceof Error) throw parsed;
  if (!parsed.isPrivateKey()) throw new Error('It is no private key');
  const blob = parsed.getPublicSSH();
  return { privateKey, key: `${parsed.type} ${blob.toString('base64')}`, fingerprint: fingerprintOf(blob) };
}
