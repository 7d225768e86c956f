import { promisify } from 'node:util';
import ssh2 from 'ssh2';
import { fingerprintOf, type SshKey } from '#lib/ssh-key.ts';

/** A host key, which proves the server's identity. `privateKey` is in OpenSSH's format. */
export type HostKey = SshKey & { privateKey: string };

type OnKeys = (error: Error | null, keys: { private: string }) => void;

/** The kinds of the server's host keys, the preferred one first, each with its generation options. */
export const hostKeyKinds = {
  ed25519: (onKeys: OnKeys) => ssh2.utils.generateKeyPair('ed25519', onKeys),
  ecdsa: (onKeys: OnKeys) => ssh2.utils.generateKeyPair('ecdsa', { bits: 256 }, onKeys),
  rsa: (onKeys: OnKeys) => ssh2.utils.generateKeyPair('rsa', { bits: 3072 }, onKeys),
} as const;
export type HostKeyKind = keyof typeof hostKeyKinds;

/**
 * Makes a private key. The library omits a leading zero in an Ed25519 key's bytes, about once in some hundred keys, and then
 * can't read its own output. Such a key is discarded.
 */
export async function newHostKey(kind: HostKeyKind): Promise<string> {
  for (;;) {
    const { private: privateKey } = await promisify(hostKeyKinds[kind])();
    if (!(ssh2.utils.parseKey(privateKey) instanceof Error)) return privateKey;
  }
}

/** Reads a private key. @throws Error if it isn't one */
export function readHostKey(privateKey: string): HostKey {
  const parsed = ssh2.utils.parseKey(privateKey);
  if (parsed instanceof Error) throw parsed;
  if (!parsed.isPrivateKey()) throw new Error('It is not a private key');
  const blob = parsed.getPublicSSH();
  return { privateKey, key: `${parsed.type} ${blob.toString('base64')}`, fingerprint: fingerprintOf(blob) };
}
